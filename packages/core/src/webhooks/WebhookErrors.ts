/**
 * Errors of webhooks, beyond those that all services share.
 */
import * as Data from "effect/Data"
import { keyRemedy } from "../secrets/SecretBox.ts"

/**
 * - `NoKey`: the deployment has no key to seal the secrets of webhooks with.
 * - `NoSender`: no process of the deployment sends deliveries.
 */
export class WebhooksUnavailable extends Data.TaggedError("WebhooksUnavailable")<{
  readonly reason: "NoKey" | "NoSender"
}> {
  readonly code = "webhooks_unavailable"
  override get message(): string {
    return this.reason === "NoKey"
      ? `This deployment has no secret key to encrypt the secrets of webhooks with. ${keyRemedy}`
      : "This deployment does not send webhooks. Its operator sets the options webhooks and secretKey of open(), such as webhooks: webhooks() of @holdfast/outbound."
  }
}

/** A DISABLED webhook sends nothing, so that a test would wait. */
export class WebhookDisabled extends Data.TaggedError("WebhookDisabled")<{}> {
  readonly code = "webhook_disabled"
  override readonly message = "The webhook is DISABLED. Set its state to ACTIVE first."
}
