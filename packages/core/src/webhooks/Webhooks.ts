/**
 * The service of webhooks: creates, reads, changes and removes them, and requests tests and recoveries. Requires `webhook:read` and
 * `webhook:write`, which only Admins have, because a webhook sends the events of the whole tenant.
 */
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Base64 from "effect/encoding/Base64"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidCursor, InvalidRequest, NotFound, type QuotaExceeded } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import { withinQuota } from "../quotas/CurrentQuota.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import { StorageRoom } from "../StorageRoom.ts"
import type { StoredWebhook, WebhookRef } from "./StoredWebhook.ts"
import type { QueuedTest, Webhook, WebhookWithSecret } from "./Webhook.ts"
import { WebhookDisabled, WebhooksUnavailable } from "./WebhookErrors.ts"
import { CreateWebhook, RecoverWebhook, UpdateWebhook } from "./WebhookInput.ts"
import { WebhookRepository } from "./WebhookRepository.ts"
import { IsSent } from "./WebhookSender.ts"
import * as WebhookUrl from "./WebhookUrl.ts"

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Creates a webhook for the events from now on. The result has the secret, which no other result has. */
    readonly create: (
      actor: Actor,
      tenantId: string,
      input: CreateWebhook
    ) => Effect.Effect<WebhookWithSecret, AccessError | InvalidRequest | QuotaExceeded | WebhooksUnavailable>

    /** Lists the webhooks of a tenant, ordered by id. */
    readonly list: (
      actor: Actor,
      tenantId: string,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Webhook>, AccessError | InvalidRequest | InvalidCursor>

    readonly get: (actor: Actor, webhook: WebhookRef) => Effect.Effect<Webhook, AccessError | NotFound>

    /** Changes a webhook. One that is ACTIVE again, or has another URL, attempts its pending deliveries at once. */
    readonly update: (
      actor: Actor,
      webhook: WebhookRef,
      input: UpdateWebhook
    ) => Effect.Effect<Webhook, AccessError | InvalidRequest | NotFound>

    /** Removes a webhook with its pending deliveries. */
    readonly remove: (actor: Actor, webhook: WebhookRef) => Effect.Effect<void, AccessError | NotFound>

    /** Replaces the secret. For 24 hours deliveries are signed with both, so that receivers can change it in time. */
    readonly rotate: (
      actor: Actor,
      webhook: WebhookRef
    ) => Effect.Effect<WebhookWithSecret, AccessError | NotFound | WebhooksUnavailable>

    /** Queues a delivery of an event `webhook.test`, whatever the event types of the webhook are. */
    readonly test: (
      actor: Actor,
      webhook: WebhookRef
    ) => Effect.Effect<QueuedTest, AccessError | NotFound | WebhookDisabled | WebhooksUnavailable>

    /** Queues all failed deliveries of events since a time again, in the background. */
    readonly recover: (
      actor: Actor,
      webhook: WebhookRef,
      input: RecoverWebhook
    ) => Effect.Effect<Webhook, AccessError | InvalidRequest | NotFound>
  }
>()("@holdfast/core/webhooks/Webhooks") {}

/** How long the secret before a rotation signs. */
const rotationOverlap = Duration.hours(24)

/** Bytes. Standard Webhooks asks for 24 to 64. */
const secretLength = 24

const toRecord = ({ formerSecret, secret: _secret, tenantId: _tenantId, ...webhook }: StoredWebhook): Webhook => ({
  ...webhook,
  formerSecretUntil: formerSecret?.until ?? null
})

const missing = new NotFound({ resource: "webhook" })
const noSuchBucket = InvalidRequest.at("/bucketId", "is not a bucket of this tenant")

const decodeCreate = Input.decoder(Schema.toType(CreateWebhook))
const decodeUpdate = Input.decoder(Schema.toType(UpdateWebhook))
const decodeRecover = Input.decoder(Schema.toType(RecoverWebhook))

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* WebhookRepository
  const box = yield* SecretBox
  const random = yield* SecureRandom
  const room = yield* StorageRoom
  const inQuota = yield* withinQuota
  const isSent = yield* IsSent

  const read = (actor: Actor, tenantId: string) => access.require(actor, tenantId, "webhook:read")
  const write = (actor: Actor, tenantId: string) => access.require(actor, tenantId, "webhook:write")
  const checkId = ({ webhookId }: WebhookRef) => (Ids.is("whk", webhookId) ? Effect.void : Effect.fail(missing))
  const checkBucket = (bucketId: string | null | undefined) =>
    bucketId === null || bucketId === undefined || Ids.is("bkt", bucketId) ? Effect.void : Effect.fail(noSuchBucket)

  const checkSent = isSent ? Effect.void : Effect.fail(new WebhooksUnavailable({ reason: "NoSender" }))

  /** Makes a secret, and seals it for the webhook. */
  const makeSecret = Effect.fnUntraced(function* (webhookId: string) {
    const bytes = yield* random.randomBytes(secretLength)
    const secret = `whsec_${Base64.encode(bytes)}`
    const sealed = yield* Effect.mapError(
      box.seal(Redacted.make(secret, { label: "WebhookSecret" }), webhookId),
      () => new WebhooksUnavailable({ reason: "NoKey" })
    )
    return { secret, sealed }
  })

  const find = (ref: WebhookRef) => Effect.andThen(checkId(ref), NotFound.whenNone(repository.find(ref), missing))

  return Webhooks.of({
    create: Effect.fn("Webhooks.create")(function* (actor, tenantId, input) {
      const identity = yield* write(actor, tenantId)
      const { bucketId = null, eventTypes = ["*"], name, ...decoded } = yield* decodeCreate(input)
      const url = yield* WebhookUrl.parse(decoded.url)
      yield* checkBucket(bucketId)
      yield* checkSent
      const id = yield* Effect.provideService(Ids.make("whk"), SecureRandom, random)
      const { sealed, secret } = yield* makeSecret(id)
      yield* room.forRecord
      const at = yield* DateTime.now
      const webhook = { tenantId, id, name, url, eventTypes, bucketId, secret: sealed, at }
      const created = yield* repository.create(webhook).pipe(
        inQuota(tenantId),
        by(identity),
        Effect.catchTag("NotFound", () => Effect.fail(noSuchBucket))
      )
      return { ...toRecord(created), secret }
    }),

    list: Effect.fn("Webhooks.list")(function* (actor, tenantId, page) {
      yield* read(actor, tenantId)
      return yield* Page.listById(page, (slice) =>
        Effect.map(repository.list({ tenantId, ...slice }), (webhooks) => webhooks.map(toRecord))
      )
    }),

    get: Effect.fn("Webhooks.get")(function* (actor, ref) {
      yield* read(actor, ref.tenantId)
      return toRecord(yield* find(ref))
    }),

    update: Effect.fn("Webhooks.update")(function* (actor, ref, input) {
      const identity = yield* write(actor, ref.tenantId)
      yield* checkId(ref)
      const { url: given, ...decoded } = yield* decodeUpdate(input)
      const url = given === undefined ? undefined : yield* WebhookUrl.parse(given)
      yield* checkBucket(decoded.bucketId)
      const update = repository.update({ webhook: ref, change: { ...decoded, url }, at: yield* DateTime.now })
      const updated = yield* by(identity)(update).pipe(Effect.catchTag("NotFound", () => Effect.fail(noSuchBucket)))
      return toRecord(yield* NotFound.whenNone(Effect.succeed(updated), missing))
    }),

    remove: Effect.fn("Webhooks.remove")(function* (actor, ref) {
      const identity = yield* write(actor, ref.tenantId)
      yield* checkId(ref)
      if (!(yield* by(identity)(repository.remove(ref)))) return yield* missing
    }),

    rotate: Effect.fn("Webhooks.rotate")(function* (actor, ref) {
      const identity = yield* write(actor, ref.tenantId)
      yield* checkId(ref)
      const { sealed, secret } = yield* makeSecret(ref.webhookId)
      const at = yield* DateTime.now
      const formerUntil = DateTime.addDuration(at, rotationOverlap)
      const rotated = by(identity)(repository.rotate({ webhook: ref, secret: sealed, formerUntil, at }))
      return { ...toRecord(yield* NotFound.whenNone(rotated, missing)), secret }
    }),

    test: Effect.fn("Webhooks.test")(function* (actor, ref) {
      const identity = yield* write(actor, ref.tenantId)
      const { state } = yield* find(ref)
      if (state === "DISABLED") return yield* new WebhookDisabled()
      yield* checkSent
      const queued = by(identity)(repository.test({ webhook: ref, at: yield* DateTime.now }))
      return { deliveryId: yield* NotFound.whenNone(queued, missing) }
    }),

    recover: Effect.fn("Webhooks.recover")(function* (actor, ref, input) {
      const identity = yield* write(actor, ref.tenantId)
      yield* checkId(ref)
      const { since } = yield* decodeRecover(input)
      const at = yield* DateTime.now
      if (DateTime.isGreaterThan(since, at)) return yield* InvalidRequest.at("/since", "must not be in the future")
      const requested = by(identity)(repository.requestRecovery({ webhook: ref, since, at }))
      return toRecord(yield* NotFound.whenNone(requested, missing))
    })
  })
})

export const layer: Layer.Layer<Webhooks, never, Access | WebhookRepository | SecretBox | SecureRandom> = Layer.effect(
  Webhooks,
  make
)
