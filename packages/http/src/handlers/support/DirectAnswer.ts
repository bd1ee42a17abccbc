/**
 * Answers ahead of the router.
 */
import type { RequestInfo } from "@holdfast/core/access/CurrentRequest"
import type * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"

/** A request that may be answered without the router. */
export interface DirectAnswer {
  /** The path template of its route. */
  readonly route: string
  /** Returns whether it has answered. When it returns false or fails, it has sent nothing unless the response has its head. */
  readonly answer: (response: ServerResponse, info: RequestInfo) => Effect.Effect<boolean, unknown>
}

/** Finds out whether a request may be answered without the router. */
export type FindDirectAnswer = (request: IncomingMessage) => DirectAnswer | undefined
