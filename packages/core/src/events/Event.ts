/**
 * An event: the record that something was changed, or that a request was refused. The repositories write it in the transaction
 * of the change. It contains ids and names, but no key, secret, content, metadata or value of a header.
 */
import * as Schema from "effect/Schema"

/** What an event can be about. */
export const TargetType = Schema.Literals([
  "TENANT",
  "MEMBER",
  "TOKEN",
  "BUCKET",
  "FILE",
  "STREAM",
  "CAPTIONS",
  "MIRROR",
  "WEBHOOK",
  "SHARE",
  "ACCOUNT",
  "ACCOUNT_KEY"
])
export type TargetType = typeof TargetType.Type

/** The actions, and what the target of each is. */
const targets = {
  "tenant.created": "TENANT",
  "tenant.updated": "TENANT",
  "tenant.deleted": "TENANT",
  "tenant.cleared": "TENANT",
  "quota.changed": "TENANT",
  "quota.reached": "TENANT",
  "member.created": "MEMBER",
  "member.accepted": "MEMBER",
  "member.updated": "MEMBER",
  "member.deleted": "MEMBER",
  "token.created": "TOKEN",
  "token.updated": "TOKEN",
  "token.revoked": "TOKEN",
  "token.s3_credentials_created": "TOKEN",
  "token.s3_credentials_revoked": "TOKEN",
  "bucket.created": "BUCKET",
  "bucket.updated": "BUCKET",
  "bucket.deleted": "BUCKET",
  "bucket.cleared": "BUCKET",
  "file.created": "FILE",
  "file.updated": "FILE",
  "file.deleted": "FILE",
  "content.replaced": "FILE",
  "header.updated": "FILE",
  "stream.requested": "STREAM",
  "stream.ready": "STREAM",
  "stream.failed": "STREAM",
  "stream.deleted": "STREAM",
  "captions.created": "CAPTIONS",
  "captions.deleted": "CAPTIONS",
  "poster.updated": "FILE",
  "poster.deleted": "FILE",
  "mirror.created": "MIRROR",
  "mirror.updated": "MIRROR",
  "mirror.deleted": "MIRROR",
  "mirror.requested": "MIRROR",
  "mirror.failing": "MIRROR",
  "mirror.recovered": "MIRROR",
  "webhook.created": "WEBHOOK",
  "webhook.updated": "WEBHOOK",
  "webhook.deleted": "WEBHOOK",
  "webhook.rotated": "WEBHOOK",
  "webhook.test": "WEBHOOK",
  "webhook.recovery_requested": "WEBHOOK",
  "webhook.disabled": "WEBHOOK",
  "webhook.delivery_replayed": "WEBHOOK",
  "share.created": "SHARE",
  "share.updated": "SHARE",
  "share.deleted": "SHARE",
  "account.created": "ACCOUNT",
  "account_key.created": "ACCOUNT_KEY",
  "account_key.restored": "ACCOUNT_KEY",
  "account_key.revoked": "ACCOUNT_KEY",
  "request.refused": "TENANT"
} as const satisfies { readonly [action: string]: TargetType }

export type Action = keyof typeof targets

/** Returns what the target of an action is; null for an action that only a newer version knows. */
export const targetTypeOf = (action: string): TargetType | null =>
  Object.hasOwn(targets, action) ? targets[action as Action] : null

/** The action of the events of refused requests. Every other event records something that was done. */
export const refused = "request.refused" satisfies Action

/** An action of events that record something that was done. */
export type ChangeAction = Exclude<Action, typeof refused>

/** The beginning of the actions of one resource, such as `file.`. */
export type ActionPrefix = ChangeAction extends infer Name extends string
  ? Name extends `${infer Resource}.${string}`
    ? `${Resource}.`
    : never
  : never

const changes: ReadonlyArray<string> = Object.keys(targets).filter((action) => action !== refused)

const prefixOf = (text: string): string => text.slice(0, text.indexOf(".") + 1)

const prefixes: ReadonlySet<string> = new Set(changes.map(prefixOf))

/** Whether a text is an action of the changes of a tenant, or, with a dot at its end, the beginning of one. */
export const isChangeOrPrefix = (text: string): boolean =>
  changes.some((action) => (text.endsWith(".") ? action.startsWith(text) : action === text))

/** Names the texts that `isChangeOrPrefix` accepts: the actions with the prefix of a text, or the prefixes when it has none of them. */
export const describeChanges = (text: string): string => {
  const prefix = prefixOf(text)
  return prefixes.has(prefix)
    ? `${prefix} for ${changes.filter((action) => action.startsWith(prefix)).join(", ")}, or one of these`
    : `the action of an event such as file.created, or a prefix of actions: ${[...prefixes].join(", ")}`
}

/** Whether what was asked for was done. */
export const Outcome = Schema.Literals(["SUCCESS", "REFUSED"])
export type Outcome = typeof Outcome.Type

export const outcomeOf = (action: string): Outcome => (action === refused ? "REFUSED" : "SUCCESS")

/** Who caused an event: the deployment itself with its background work, an account, or an API token. */
export const ActorKind = Schema.Literals(["SYSTEM", "ACCOUNT", "TOKEN"])
export type ActorKind = typeof ActorKind.Type

export const EventActor = Schema.Struct({
  kind: ActorKind,
  accountId: Schema.NullOr(Schema.String),
  tokenId: Schema.NullOr(Schema.String).annotate({
    description: "The API token, account key or share that was presented; null without one."
  })
})
export type EventActor = typeof EventActor.Type

/** Facts about a change, by name. */
export const Detail = Schema.Record(Schema.String, Schema.Json)
export type Detail = typeof Detail.Type

export const Event = Schema.Struct({
  id: Schema.String.annotate({ description: "Ids sort by time." }),
  at: Schema.DateTimeUtcFromString,
  action: Schema.String.annotate({ description: "The resource, a dot and what happened, such as `file.created`." }),
  outcome: Outcome.annotate({
    description: "`REFUSED` for a request that was refused; `SUCCESS` for everything that was done."
  }),
  actor: EventActor,
  target: Schema.Struct({
    type: Schema.NullOr(TargetType),
    id: Schema.NullOr(Schema.String).annotate({
      description: "Null when the event has several targets; then `detail` has their number and first ids."
    }),
    name: Schema.NullOr(Schema.String).annotate({
      description: "The name after the change: of a file its path with the name, of a member its e-mail."
    })
  }),
  bucketId: Schema.NullOr(Schema.String),
  clientAddress: Schema.NullOr(Schema.String).annotate({ description: "The IP address that the request came from." }),
  requestId: Schema.NullOr(Schema.String).annotate({ description: "The `X-Request-Id` of the request." }),
  detail: Detail
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type

const encode = Schema.encodeSync(Event)

/** Returns an event as one line of an export. */
export const toJson = (event: Event): string => JSON.stringify(encode(event))

/** The most ids of targets that one event lists. */
export const maxListed = 100

/** Returns the target and the detail of one event for a change of several records. */
export const severalTargets = (targets: ReadonlyArray<{ readonly id: string; readonly name: string | null }>) => {
  const [only] = targets
  return targets.length === 1 && only !== undefined
    ? { target: { id: only.id, name: only.name }, detail: {} }
    : {
        target: { id: null, name: null },
        detail: { count: targets.length, ids: targets.slice(0, maxListed).map(({ id }) => id) }
      }
}
