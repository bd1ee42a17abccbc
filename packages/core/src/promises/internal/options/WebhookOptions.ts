/**
 * The layers for the webhook options of `open`.
 */
import * as Layer from "effect/Layer"
import { IsSent } from "../../../webhooks/WebhookSender.ts"
import { PublicHosts } from "../../../webhooks/WebhookUrl.ts"
import * as DeliveryWorker from "../../../webhooks/worker/DeliveryWorker.ts"
import type { OpenOptions, WebhooksAdapter } from "./OpenOptions.ts"

const isAdapter = (webhooks: OpenOptions["webhooks"]): webhooks is WebhooksAdapter => typeof webhooks === "object"

/** Returns what accepts or refuses new webhooks: whether some process sends their deliveries, and to which hosts. */
export const rules = ({ webhooks }: OpenOptions): Layer.Layer<never> =>
  Layer.merge(
    Layer.succeed(IsSent, webhooks !== undefined),
    isAdapter(webhooks) ? Layer.succeed(PublicHosts, webhooks.isPublicHost) : Layer.empty
  )

/** Returns the delivery worker where this process sends. Without the key it could not decrypt the secret of any webhook. */
export const worker = ({ secretKey, webhookRequests, webhooks }: OpenOptions) =>
  isAdapter(webhooks) && secretKey !== undefined
    ? DeliveryWorker.layer({ concurrency: webhookRequests ?? DeliveryWorker.defaults.concurrency }).pipe(
        Layer.provide(webhooks.sender)
      )
    : Layer.empty
