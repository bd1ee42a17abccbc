/**
 * The access log: one line for each request, as JSON or as short text. A line contains no query, because queries may
 * hold keys. Recording costs a request no more than building the line.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Config } from "../config/Config.ts"
import { CurrentWorker } from "../workers/WorkerProcess.ts"
import type { ObservedRequest } from "./ObservedRequest.ts"
import * as LineWriter from "./LineWriter.ts"

/** The result of a request. */
export interface Outcome {
  readonly status: number
  /** Bytes on the wire, headers included. */
  readonly received: number
  readonly sent: number
  readonly milliseconds: number
  /** Whether the client disconnected before the response was complete. */
  readonly isAborted: boolean
}

export interface AccessLog {
  /** Records one request. */
  readonly record: (request: ObservedRequest, outcome: Outcome) => void
}

let second = Number.NaN
let secondText = ""

/** Returns the current time by RFC 3339. The text of a second is built once, which saves more than 1 µs per request. */
const timestamp = (): string => {
  const at = Date.now()
  const milliseconds = at % 1000
  if (at - milliseconds !== second) {
    second = at - milliseconds
    secondText = new Date(second).toISOString().slice(0, -4)
  }
  return `${secondText}${String(milliseconds).padStart(3, "0")}Z`
}

const formatJson = (request: ObservedRequest, outcome: Outcome, worker: number | undefined): string =>
  JSON.stringify({
    time: timestamp(),
    type: "access",
    worker,
    requestId: request.requestId,
    remoteAddress: request.remoteAddress,
    accountId: request.identity?.accountId,
    tokenId: request.identity?.tokenId ?? undefined,
    method: request.method,
    path: request.path,
    route: request.route,
    status: outcome.status,
    received: outcome.received,
    sent: outcome.sent,
    ms: Math.round(outcome.milliseconds * 100) / 100,
    aborted: outcome.isAborted ? true : undefined
  })

const formatPretty = (
  { method, path, requestId }: ObservedRequest,
  { isAborted, milliseconds, sent, status }: Outcome
): string => {
  const time = new Date().toLocaleTimeString("en-GB")
  return `${time}  ${status}  ${method} ${path}  ${sent} B  ${milliseconds.toFixed(1)} ms${isAborted ? "  aborted" : ""}  ${requestId}`
}

const formatLost = (count: number): string => JSON.stringify({ time: timestamp(), type: "access", lostLines: count })

/**
 * Makes an access log that writes to standard output until the scope closes. Several processes may write to it: then a line has the
 * number of its process.
 */
export const make = Effect.fnUntraced(function* (
  format: Config["logFormat"]
): Effect.fn.Return<AccessLog, never, Scope.Scope> {
  const worker = yield* CurrentWorker
  const formatLine = format === "json" ? formatJson : formatPretty
  const lines = yield* LineWriter.make({ descriptor: 1, isShared: worker !== undefined, formatLost })
  return { record: (request, outcome) => lines.write(formatLine(request, outcome, worker?.number)) }
})

/** An access log that records nothing. */
export const disabled: AccessLog = { record: () => {} }
