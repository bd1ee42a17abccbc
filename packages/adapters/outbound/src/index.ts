/**
 * The adapter for the Promise API: `open({ webhooks: webhooks(), secretKey, … })`.
 */
import type { WebhooksAdapter } from "@holdfast/core"
import * as HttpWebhookSender from "./HttpWebhookSender.ts"
import * as PublicHost from "./PublicHost.ts"

/**
 * Sends the deliveries of webhooks. Their endpoints must be on the public Internet and have `https` URLs, unless
 * `settings.webhooksAllowPrivate` is set.
 */
export const webhooks = (): WebhooksAdapter => ({
  sender: HttpWebhookSender.layer,
  isPublicHost: PublicHost.isPublic
})
