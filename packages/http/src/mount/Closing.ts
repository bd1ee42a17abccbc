/**
 * The answer of an API whose Holdfast has been closed.
 */
import { Closed } from "@holdfast/core"
import type { ServerResponse } from "node:http"
import * as CommonHeaders from "../problems/CommonHeaders.ts"
import * as ProblemHeaders from "../problems/ProblemHeaders.ts"
import { entryOf } from "../problems/ProblemTable.ts"
import * as NodeProblem from "../server/NodeProblem.ts"

const code = "unavailable"
const { status } = entryOf(code)
const requestId = "none"

const body = (): string => NodeProblem.body(code, status, new Closed().message, requestId)

const headers = {
  "content-type": NodeProblem.contentType,
  "cache-control": "no-store",
  ...ProblemHeaders.of(status),
  ...CommonHeaders.of(requestId)
}

export const send = (response: ServerResponse): void => {
  if (!response.headersSent) response.writeHead(status, headers).end(body())
}

export const make = (): Response => new Response(body(), { status, headers })
