/**
 * The layer of webhooks: the worker of this node.
 */
import * as DeliveryWorker from "@holdfast/core/webhooks/worker/DeliveryWorker"
import * as HttpWebhookSender from "@holdfast/outbound/HttpWebhookSender"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"

/** The worker of this node; none if the settings allow no requests. */
export const layerWorker = ({ webhooks: concurrency }: Pick<Config, "webhooks">) =>
  concurrency === 0 ? Layer.empty : DeliveryWorker.layer({ concurrency }).pipe(Layer.provide(HttpWebhookSender.layer))
