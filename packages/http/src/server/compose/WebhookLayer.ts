/**
 * The layers of webhooks: what sends requests to their endpoints, and the worker of this node.
 */
import * as DeliveryRetention from "@holdfast/core/webhooks/worker/DeliveryRetention"
import * as DeliveryWorker from "@holdfast/core/webhooks/worker/DeliveryWorker"
import { WebhookSender, WebhookSendError } from "@holdfast/core/webhooks/WebhookSender"
import * as GuardedAgents from "@holdfast/outbound/GuardedAgents"
import * as PostRequest from "@holdfast/outbound/PostRequest"
import { property } from "@holdfast/outbound/Property"
import { RequestTimedOut } from "@holdfast/outbound/RequestTimedOut"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"

/** How long an endpoint may take to answer, in milliseconds. */
const timeout = 15_000

/** Idle connections that are kept. An endpoint has one. */
const maxFreeSockets = 256

const reasonOf = (cause: unknown): WebhookSendError["reason"] => {
  if (GuardedAgents.isRefused(cause)) return "ADDRESS_REFUSED"
  if (cause instanceof RequestTimedOut || property(cause, "code") === "ETIMEDOUT") return "TIMEOUT"
  // The codes of Node's HTTP parser.
  return String(property(cause, "code")).startsWith("HPE_") ? "INVALID_RESPONSE" : "CONNECTION"
}

/** Sends over connections that refuse private addresses, unless the settings allow them. */
export const layerSender = ({
  webhooksAllowPrivate: allowPrivate
}: Pick<Config, "webhooksAllowPrivate">): Layer.Layer<WebhookSender> =>
  Layer.effect(
    WebhookSender,
    Effect.map(GuardedAgents.scoped({ allowPrivate }, { maxFreeSockets }, { requestTimeout: timeout }), (agents) => ({
      send: (request) =>
        Effect.mapBoth(PostRequest.send(agents, { ...request, timeout }), {
          onSuccess: ({ headers, status }) => ({ status, retryAfter: headers["retry-after"] ?? null }),
          onFailure: ({ cause }) => new WebhookSendError({ reason: reasonOf(cause) })
        })
    }))
  )

/** The worker of this node, unless the settings allow no requests, and the job that deletes old deliveries. */
export const layerWorker = (config: Pick<Config, "webhooks" | "webhooksAllowPrivate">) =>
  config.webhooks === 0
    ? DeliveryRetention.layer
    : Layer.merge(
        DeliveryRetention.layer,
        DeliveryWorker.layer({ concurrency: config.webhooks }).pipe(Layer.provide(layerSender(config)))
      )
