/**
 * Errors of webhooks, beyond those that all services share.
 */
import * as Data from "effect/Data"

/** The deployment has no key to seal the secrets of webhooks with. */
export class WebhooksUnavailable extends Data.TaggedError("WebhooksUnavailable")<{}> {
  readonly code = "webhooks_unavailable"
  override readonly message =
    "This deployment has no secret key to encrypt the secrets of webhooks with. Ask its operator to set one."
}

/** A DISABLED webhook sends nothing, so that a test would wait. */
export class WebhookDisabled extends Data.TaggedError("WebhookDisabled")<{}> {
  readonly code = "webhook_disabled"
  override readonly message = "The webhook is DISABLED. Set its state to ACTIVE first."
}
