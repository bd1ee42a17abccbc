/**
 * What a host's request is answered with when it cannot come to the routes: problems, as theirs are.
 */
import { Closed } from "@holdfast/core"
import type { ServerResponse } from "node:http"
import * as CommonHeaders from "../problems/CommonHeaders.ts"
import * as ProblemHeaders from "../problems/ProblemHeaders.ts"
import { entryOf, type ProblemCode } from "../problems/ProblemTable.ts"
import * as NodeProblem from "../server/listener/NodeProblem.ts"

interface Refusal {
  readonly code: ProblemCode
  readonly detail: string
}

/** The Holdfast has been closed. */
export const closed: Refusal = { code: "unavailable", detail: new Closed().message }

/** A mistake of the host: its developer sees at once which. */
export const bodyTaken: Refusal = {
  code: "internal",
  detail:
    "A parser of the host has read the body of the request. Mount the API before it, or limit the parser to other paths."
}

const requestId = "none"

const answer = ({ code, detail }: Refusal) => {
  const { status } = entryOf(code)
  return {
    status,
    body: NodeProblem.body(code, status, detail, requestId),
    headers: {
      "content-type": NodeProblem.contentType,
      "cache-control": "no-store",
      ...ProblemHeaders.of(status),
      ...CommonHeaders.of(requestId)
    }
  }
}

export const send = (response: ServerResponse, refusal: Refusal): void => {
  if (response.headersSent) return
  const { body, headers, status } = answer(refusal)
  response.writeHead(status, headers).end(body)
}

export const make = (refusal: Refusal): Response => {
  const { body, headers, status } = answer(refusal)
  return new Response(body, { status, headers })
}
