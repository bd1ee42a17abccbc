/**
 * The inputs that create, update and recover a webhook.
 */
import * as Schema from "effect/Schema"
import { describeChanges, isChangeOrPrefix } from "../events/Event.ts"
import { bounded, Label, Reference } from "../Text.ts"
import { Instant } from "../Time.ts"
import { WebhookState } from "./Webhook.ts"

const EventType = bounded(64).check(
  Schema.makeFilter((text: string) =>
    text === "*" || isChangeOrPrefix(text) ? undefined : `must be * for all events, ${describeChanges(text)}`
  )
)

const EventTypes = Schema.Array(EventType)
  .check(Schema.isMinLength(1, { message: "must have at least one item" }), Schema.isMaxLength(50))
  .annotate({
    description:
      "Actions of events, such as `file.created`, prefixes that end with a dot, such as `file.`, or `*` for all events."
  })

const Url = bounded(2048).annotate({
  description: "An https URL at a public address, without user name, password and fragment."
})

const BucketId = Schema.NullOr(Reference).annotate({
  description: "Delivers only the events in this bucket; null for those of the whole tenant."
})

export const CreateWebhook = Schema.Struct({
  name: Label,
  url: Url,
  eventTypes: Schema.optional(EventTypes).annotate({ description: "All events when absent." }),
  bucketId: Schema.optional(BucketId)
}).annotate({ identifier: "CreateWebhook" })
export type CreateWebhook = typeof CreateWebhook.Type

export const UpdateWebhook = Schema.Struct({
  name: Schema.optional(Label),
  url: Schema.optional(Url),
  eventTypes: Schema.optional(EventTypes),
  bucketId: Schema.optional(BucketId),
  state: Schema.optional(WebhookState).annotate({
    description: "`ACTIVE` also ends the record of failures: what is pending is attempted at once."
  })
}).annotate({ identifier: "UpdateWebhook" })
export type UpdateWebhook = typeof UpdateWebhook.Type

export const RecoverWebhook = Schema.Struct({
  since: Instant.annotate({ description: "The time of the first event whose failed delivery is queued again." })
}).annotate({ identifier: "RecoverWebhook" })
export type RecoverWebhook = typeof RecoverWebhook.Type
