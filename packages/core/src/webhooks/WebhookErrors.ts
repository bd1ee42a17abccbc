/**
 * Errors of webhooks, beyond those that all services share.
 */
import * as Data from "effect/Data"

/** The tenant has as many webhooks as the deployment permits. */
export class WebhookLimitReached extends Data.TaggedError("WebhookLimitReached")<{ readonly limit: number }> {
  readonly code = "webhook_limit_reached"
  override get message(): string {
    return `The tenant has ${this.limit} webhooks, and this deployment permits no more. Delete one first.`
  }
}
