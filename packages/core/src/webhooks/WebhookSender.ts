/**
 * The port that sends requests to the endpoints of webhooks.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What the worker knows of a response. Its body is not read: users of this deployment choose which services it comes from. */
export interface WebhookResponse {
  readonly status: number
  /** The header `Retry-After`. */
  readonly retryAfter: string | null
}

/**
 * There is no response.
 *
 * - `TIMEOUT`: no status within the time limit.
 * - `CONNECTION`: the connection failed, or its certificate is not valid.
 * - `ADDRESS_REFUSED`: the host is not on the public Internet, or has no address.
 * - `INVALID_RESPONSE`: the response is not HTTP, or does not answer the request.
 */
export class WebhookSendError extends Data.TaggedError("WebhookSendError")<{
  readonly reason: "TIMEOUT" | "CONNECTION" | "ADDRESS_REFUSED" | "INVALID_RESPONSE"
}> {}

/**
 * Whether some process of the deployment sends requests. Without one, webhooks are refused: their deliveries would stay PENDING.
 */
export const IsSent = Context.Reference<boolean>("@holdfast/core/webhooks/IsSent", { defaultValue: () => true })

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /**
     * Sends a POST request and returns the status, within 15 seconds. Follows no redirect. An interruption ends the request.
     */
    readonly send: (request: WebhookRequest) => Effect.Effect<WebhookResponse, WebhookSendError>
  }
>()("@holdfast/core/webhooks/WebhookSender") {}
