/**
 * The `WebhookSender` on Node's HTTP clients.
 */
import { Settings } from "@holdfast/core/Settings"
import { WebhookSender, WebhookSendError } from "@holdfast/core/webhooks/WebhookSender"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as GuardedAgents from "./GuardedAgents.ts"
import * as PostRequest from "./PostRequest.ts"
import { property } from "./Property.ts"
import { RequestTimedOut } from "./RequestTimedOut.ts"
import * as UnexpectedResponse from "./UnexpectedResponse.ts"

/** How long an endpoint may take to answer, in milliseconds. */
const timeout = 15_000

/** Idle connections that are kept. An endpoint has one. */
const maxFreeSockets = 256

const reasonOf = (cause: unknown): WebhookSendError["reason"] => {
  if (GuardedAgents.isRefused(cause)) return "ADDRESS_REFUSED"
  if (cause instanceof RequestTimedOut || property(cause, "code") === "ETIMEDOUT") return "TIMEOUT"
  const code = String(property(cause, "code"))
  // `HPE_`: the codes of Node's HTTP parser.
  return code.startsWith("HPE_") || code === UnexpectedResponse.code ? "INVALID_RESPONSE" : "CONNECTION"
}

/** Sends over connections that refuse private addresses, unless `webhooksAllowPrivate` of the settings allows them. */
export const layer: Layer.Layer<WebhookSender> = Layer.effect(
  WebhookSender,
  Effect.gen(function* () {
    const { webhooksAllowPrivate: allowPrivate } = yield* Settings
    const agents = yield* GuardedAgents.scoped({ allowPrivate }, { maxFreeSockets }, { requestTimeout: timeout })
    return WebhookSender.of({
      send: (request) =>
        Effect.mapBoth(PostRequest.send(agents, { ...request, timeout }), {
          onSuccess: ({ headers, status }) => ({ status, retryAfter: headers["retry-after"] ?? null }),
          onFailure: ({ cause }) => new WebhookSendError({ reason: reasonOf(cause) })
        })
    })
  })
)
