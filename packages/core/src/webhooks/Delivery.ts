/**
 * A delivery: the task of sending one event to one webhook, and what became of it.
 */
import * as Schema from "effect/Schema"

/**
 * - `PENDING`: to be sent, or to be sent again.
 * - `DELIVERED`: the endpoint answered with a status of success.
 * - `FAILED`: the last attempt has failed. A replay sends the event again.
 */
export const DeliveryState = Schema.Literals(["PENDING", "DELIVERED", "FAILED"])
export type DeliveryState = typeof DeliveryState.Type

/**
 * Why an attempt failed.
 *
 * - `STATUS`: the endpoint answered, and not with a status of success.
 * - `TIMEOUT`, `CONNECTION`, `ADDRESS_REFUSED`, `INVALID_RESPONSE`: as `WebhookSendError`.
 */
export const DeliveryError = Schema.Literals(["STATUS", "TIMEOUT", "CONNECTION", "ADDRESS_REFUSED", "INVALID_RESPONSE"])
export type DeliveryError = typeof DeliveryError.Type

/** One attempt. It has nothing of the endpoint's response but the status. */
export const DeliveryAttempt = Schema.Struct({
  at: Schema.DateTimeUtcFromString,
  status: Schema.NullOr(Schema.Int).annotate({ description: "The HTTP status; null without a response." }),
  duration: Schema.Int.annotate({ description: "Milliseconds." }),
  error: Schema.NullOr(DeliveryError).annotate({ description: "Null when the endpoint accepted the event." })
}).annotate({ identifier: "WebhookDeliveryAttempt" })
export type DeliveryAttempt = typeof DeliveryAttempt.Type

/** The record that callers see. */
export const Delivery = Schema.Struct({
  id: Schema.String.annotate({ description: "The id of the event, which the header `webhook-id` has." }),
  webhookId: Schema.String,
  type: Schema.String.annotate({ description: "The action of the event, such as `file.created`." }),
  state: DeliveryState,
  attempts: Schema.Int.annotate({ description: "Attempts since the event, or since the last replay." }),
  lastAttempt: Schema.NullOr(DeliveryAttempt),
  nextAttemptAt: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({
    description: "The earliest time of the next attempt. Null when there is none, or when it is due at once."
  }),
  createdAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "WebhookDelivery" })
export type Delivery = typeof Delivery.Type
