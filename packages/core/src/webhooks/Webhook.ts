/**
 * A webhook: the URL of a program that receives the events of a tenant, as signed HTTP requests.
 */
import * as Schema from "effect/Schema"

/** A DISABLED webhook gets no further events; its pending deliveries wait until it is ACTIVE. */
export const WebhookState = Schema.Literals(["ACTIVE", "DISABLED"])
export type WebhookState = typeof WebhookState.Type

/**
 * - `REQUESTED`: a user disabled it.
 * - `FAILING`: every delivery has failed for days.
 * - `GONE`: its endpoint answered 410.
 * - `RESTORED`: the deployment was restored from a backup, while the original one may still run.
 */
export const DisabledReason = Schema.Literals(["REQUESTED", "FAILING", "GONE", "RESTORED"])
export type DisabledReason = typeof DisabledReason.Type

/** The record that callers see. It does not contain the secret. */
export const Webhook = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  url: Schema.String,
  eventTypes: Schema.Array(Schema.String).annotate({
    description:
      "Actions of events, such as `file.created`, prefixes that end with a dot, such as `file.`, or `*` for all events."
  }),
  bucketId: Schema.NullOr(Schema.String).annotate({
    description: "Only events in this bucket are delivered; null for those of the whole tenant."
  }),
  state: WebhookState,
  disabledReason: Schema.NullOr(DisabledReason).annotate({ description: "Null while the webhook is ACTIVE." }),
  failingSince: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({
    description: "Every attempt since then has failed; null after a success."
  }),
  formerSecretUntil: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({
    description: "Until then deliveries are also signed with the secret before the last rotation."
  }),
  recoveringSince: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({
    description: "Failed deliveries of events from this time on are being queued again; null when no recovery runs."
  }),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

/** The result of creating a webhook and of rotating its secret: the only responses that contain a secret. */
export const WebhookWithSecret = Schema.Struct({
  ...Webhook.fields,
  secret: Schema.String.annotate({
    description: "Verifies the signatures. Only this response contains it; it cannot be read again."
  })
}).annotate({ identifier: "WebhookWithSecret" })
export type WebhookWithSecret = typeof WebhookWithSecret.Type

/** The result of requesting a test. */
export const QueuedTest = Schema.Struct({
  deliveryId: Schema.String.annotate({ description: "The id of the delivery, and of its event `webhook.test`." })
}).annotate({ identifier: "QueuedTest" })
export type QueuedTest = typeof QueuedTest.Type
