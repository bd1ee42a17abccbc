/**
 * Answers of a mounted API to requests that cannot reach its routes. They are problems, as the answers of the routes
 * are.
 */
import { Closed } from "@holdfast/core"
import type { ServerResponse } from "node:http"
import * as CommonHeaders from "../problems/CommonHeaders.ts"
import * as ProblemBody from "../problems/ProblemBody.ts"
import * as ProblemHeaders from "../problems/ProblemHeaders.ts"
import type { ProblemCode } from "../problems/ProblemTable.ts"

interface Refusal {
  readonly code: ProblemCode
  readonly detail: string
}

/** The Holdfast is closed. */
export const closed: Refusal = { code: "unavailable", detail: new Closed().message }

/** A mistake of the host's developer, which the detail therefore explains. */
export const bodyConsumed: Refusal = {
  code: "internal",
  detail:
    "A parser of the host has read the body of the request. Mount the API before the parser, or limit the parser to other paths."
}

/** The routes assign request ids, and this request does not reach them. */
const requestId = "none"

const answer = ({ code, detail }: Refusal) => {
  const body = ProblemBody.make({ code, detail, requestId })
  return {
    status: body.status,
    body: JSON.stringify(body),
    headers: {
      "content-type": ProblemBody.contentType,
      "cache-control": "no-store",
      ...ProblemHeaders.forStatus(body.status),
      ...CommonHeaders.forRequestId(requestId)
    }
  }
}

/** Sends the answer, unless the response has begun. */
export const send = (response: ServerResponse, refusal: Refusal): void => {
  if (response.headersSent) return
  const { body, headers, status } = answer(refusal)
  response.writeHead(status, headers).end(body)
}

/** Returns the answer as a web response. */
export const toResponse = (refusal: Refusal): Response => {
  const { body, headers, status } = answer(refusal)
  return new Response(body, { status, headers })
}
