/**
 * The access log: one JSON line for each request. It names no query, where keys are, and costs a request no more than
 * the line's own text.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Config } from "../config/Config.ts"
import type { ObservedRequest } from "./ObservedRequest.ts"
import * as LineWriter from "./LineWriter.ts"

/** How an exchange ended. */
export interface Outcome {
  readonly status: number
  /** Bytes on the wire, heads included. */
  readonly received: number
  readonly sent: number
  readonly milliseconds: number
  /** Whether the client left before the response was complete. */
  readonly isAborted: boolean
}

export interface AccessLog {
  readonly note: (exchange: ObservedRequest, outcome: Outcome) => void
}

let second = Number.NaN
let secondText = ""

/** Now, by RFC 3339. The text of a second is made once: that saves a request more than a microsecond. */
const now = (): string => {
  const at = Date.now()
  const milliseconds = at % 1000
  if (at - milliseconds !== second) {
    second = at - milliseconds
    secondText = new Date(second).toISOString().slice(0, -4)
  }
  return `${secondText}${String(milliseconds).padStart(3, "0")}Z`
}

const json = (exchange: ObservedRequest, outcome: Outcome): string =>
  JSON.stringify({
    time: now(),
    type: "access",
    requestId: exchange.requestId,
    remoteAddress: exchange.remoteAddress,
    method: exchange.method,
    path: exchange.path,
    route: exchange.route,
    status: outcome.status,
    received: outcome.received,
    sent: outcome.sent,
    ms: Math.round(outcome.milliseconds * 100) / 100,
    aborted: outcome.isAborted ? true : undefined
  })

const pretty = (
  { method, path, requestId }: ObservedRequest,
  { isAborted, milliseconds, sent, status }: Outcome
): string => {
  const time = new Date().toLocaleTimeString("en-GB")
  return `${time}  ${status}  ${method} ${path}  ${sent} B  ${milliseconds.toFixed(1)} ms${isAborted ? "  aborted" : ""}  ${requestId}`
}

const lost = (count: number): string => JSON.stringify({ time: now(), type: "access", lostLines: count })

/** Writes to standard output until the scope closes: JSON for programs, short lines for people. */
export const make = (format: Config["logFormat"]): Effect.Effect<AccessLog, never, Scope.Scope> => {
  const line = format === "json" ? json : pretty
  return Effect.map(LineWriter.make(1, lost), (lines) => ({
    note: (exchange, outcome) => lines.write(line(exchange, outcome))
  }))
}

/** The log that is turned off. */
export const none: AccessLog = { note: () => {} }
