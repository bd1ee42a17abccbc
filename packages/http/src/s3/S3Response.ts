/**
 * The answers of the S3 API.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ErrorTable from "./ErrorTable.ts"
import { type S3Code, S3Error, statusOf } from "./S3Error.ts"
import * as Xml from "./xml/Xml.ts"

type Response = HttpServerResponse.HttpServerResponse

export interface Options {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

const contentType = "application/xml"

/** Returns the answer with a document of this root. */
export const xml = (
  root: string,
  content: string | ReadonlyArray<Xml.Element | Xml.Markup>,
  { headers, status }: Options = {}
): Response =>
  HttpServerResponse.text(Xml.document(root, content), { status: status ?? 200, contentType, headers: headers ?? {} })

/** Returns an answer without a body. */
export const empty = ({ headers, status = 200 }: Options = {}): Response =>
  HttpServerResponse.empty({
    status,
    // Without a length, Node would send an empty chunked body.
    headers: status === 204 || status === 304 ? (headers ?? {}) : { "content-length": "0", ...headers }
  })

/** Which request an error is the answer to. */
interface Subject {
  readonly method: string
  readonly requestId: string
  readonly resource: string
}

/** Returns the answer with an error. */
export const error = (
  { code, fields, headers, message }: S3Error,
  { method, requestId, resource }: Subject
): Response => {
  const status = statusOf(code)
  if (method === "HEAD") return empty({ status, ...(headers === undefined ? undefined : { headers }) })
  const content: ReadonlyArray<Xml.Element> = [
    ["Code", code],
    ["Message", message],
    ...Object.entries(fields ?? {}),
    ["Resource", resource],
    ["RequestId", requestId]
  ]
  return HttpServerResponse.text(Xml.plainDocument("Error", content), { status, contentType, headers: headers ?? {} })
}

/** The codes of clients' faults among those with the status of a failure. To log them would let clients flood the log. */
const expected: ReadonlySet<S3Code> = new Set(["NotImplemented", "SlowDown"])

/** Returns the answer to a request that failed, and logs failures of the server. An interruption remains one. */
export const fromCause = <E>(cause: Cause.Cause<E>, subject: Subject): Effect.Effect<Response, E> => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Fail") {
      const known = ErrorTable.translate(reason.error)
      if (known !== undefined) {
        const answer = error(known, subject)
        return statusOf(known.code) < 500 || expected.has(known.code)
          ? Effect.succeed(answer)
          : Effect.as(log(cause, known.code, subject), answer)
      }
    }
  }
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  return Effect.as(log(cause, "InternalError", subject), error(S3Error.of("InternalError"), subject))
}

const log = (cause: Cause.Cause<unknown>, code: string, { requestId }: Subject): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logError("S3 request failed", cause), { requestId, code })
