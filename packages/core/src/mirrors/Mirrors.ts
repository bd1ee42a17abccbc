/**
 * Mirrors of buckets: creating, reading, changing and removing them. `MirrorWorker` does their work.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Digest } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import { type InvalidCursor, type InvalidRequest, NotFound } from "../Errors.ts"
import { guardBucket } from "../files/FileLookup.ts"
import type { BucketRef } from "../files/FileRef.ts"
import type { Files } from "../files/Files.ts"
import type { Uploads } from "../files/Uploads.ts"
import type { Headers } from "../headers/Headers.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import type { SecretBox } from "../secrets/SecretBox.ts"
import { type Mirror, type MirrorFile, MirrorFileState } from "./Mirror.ts"
import { type MirrorLoop, type MirrorTargetUnreachable, MirrorTypeUnavailable } from "./MirrorErrors.ts"
import { type CreateMirror, decodeCreate, decodeUpdate, type UpdateMirror } from "./MirrorInput.ts"
import * as MirrorParts from "./MirrorParts.ts"
import { type CountedMirror, MirrorRepository } from "./MirrorRepository.ts"
import { MirrorSignal } from "./MirrorSignal.ts"
import * as MirrorSteps from "./MirrorSteps.ts"
import type { MirrorTargets } from "./MirrorTarget.ts"
import { locationOf, toRecord } from "./StoredMirror.ts"

/** Where a mirror is. */
export interface MirrorRef extends BucketRef {
  readonly mirrorId: string
}

export interface FilesRequest extends Page.Request {
  /** Only files in this state. */
  readonly state?: MirrorFileState | undefined
}

export class Mirrors extends Context.Service<
  Mirrors,
  {
    /**
     * Makes a mirror, and has every file of the bucket copied. Unless `verify` is false the target is asked first whether
     * it lets itself be written.
     */
    readonly create: (
      actor: Actor,
      bucket: BucketRef,
      input: CreateMirror
    ) => Effect.Effect<
      Mirror,
      AccessError | InvalidRequest | NotFound | MirrorLoop | MirrorTypeUnavailable | MirrorTargetUnreachable
    >

    readonly list: (
      actor: Actor,
      bucket: BucketRef,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Mirror>, AccessError | InvalidRequest | InvalidCursor | NotFound>

    readonly get: (actor: Actor, mirror: MirrorRef) => Effect.Effect<Mirror, AccessError | NotFound>

    /**
     * Renames a mirror, pauses or resumes it, or gives it other credentials; whatever failed is then tried again at once.
     */
    readonly update: (
      actor: Actor,
      mirror: MirrorRef,
      input: UpdateMirror
    ) => Effect.Effect<
      Mirror,
      AccessError | InvalidRequest | NotFound | MirrorTypeUnavailable | MirrorTargetUnreachable
    >

    /** Removes a mirror; what it has copied stays at the target. */
    readonly remove: (actor: Actor, mirror: MirrorRef) => Effect.Effect<void, AccessError | NotFound>

    /**
     * Has the target compared with the bucket, and what is missing or different there copied anew. Objects that the mirror
     * did not write are left alone. Answers at once; the work is done by a worker.
     */
    readonly sync: (actor: Actor, mirror: MirrorRef) => Effect.Effect<Mirror, AccessError | NotFound>

    /** The mirror's files in order of their ids, with what became of each. */
    readonly files: (
      actor: Actor,
      mirror: MirrorRef,
      request: FilesRequest
    ) => Effect.Effect<Page.Page<MirrorFile>, AccessError | InvalidRequest | InvalidCursor | NotFound>
  }
>()("@holdfast/core/mirrors/Mirrors") {}

const decodeFilter = Input.decoder(Schema.Struct({ state: Schema.optional(MirrorFileState) }))
const record = ({ mirror, stats }: CountedMirror): Mirror => toRecord(mirror, stats)

const make = Effect.gen(function* () {
  const access = yield* Access
  const buckets = yield* BucketRepository
  const repository = yield* MirrorRepository
  const signal = yield* MirrorSignal
  const random = yield* SecureRandom
  const { find, guard, has, seal, verify } = yield* MirrorSteps.make

  return Mirrors.of({
    create: Effect.fn("Mirrors.create")(function* (actor, bucket, input) {
      yield* access.require(actor, bucket.tenantId, "mirror:manage")
      yield* guardBucket(bucket)
      const wanted = yield* decodeCreate(input, bucket.bucketId)
      const { place, secret } = MirrorParts.ofInput(wanted)
      if (!has(place.type)) return yield* new MirrorTypeUnavailable(place)
      yield* NotFound.unless(buckets.find(bucket.tenantId, bucket.bucketId), new NotFound({ resource: "bucket" }))
      if (wanted.verify !== false) yield* verify(locationOf(place, secret))
      const id = yield* Effect.provideService(Ids.make("mir"), SecureRandom, random)
      const sealed = yield* seal(place.type, secret, id)
      const { bucketId, tenantId } = bucket
      yield* repository.create({
        tenantId,
        bucketId,
        id,
        name: wanted.name,
        place,
        secret: sealed,
        at: yield* DateTime.now
      })
      yield* signal.wake(bucketId)
      return record(yield* find({ ...bucket, mirrorId: id }))
    }),

    list: Effect.fn("Mirrors.list")(function* (actor, bucket, page) {
      yield* access.require(actor, bucket.tenantId, "mirror:manage")
      yield* guardBucket(bucket)
      const now = yield* DateTime.now
      const found = yield* Page.byId(page, (after, limit) =>
        Effect.map(repository.list(bucket, after, limit, now), (mirrors) => mirrors.map(record))
      )
      if (found.items.length === 0) {
        yield* NotFound.unless(buckets.find(bucket.tenantId, bucket.bucketId), new NotFound({ resource: "bucket" }))
      }
      return found
    }),

    get: Effect.fn("Mirrors.get")(function* (actor, ref) {
      yield* access.require(actor, ref.tenantId, "mirror:manage")
      return record(yield* find(ref))
    }),

    update: Effect.fn("Mirrors.update")(function* (actor, ref, input) {
      yield* access.require(actor, ref.tenantId, "mirror:manage")
      const { mirror } = yield* find(ref)
      const change = yield* decodeUpdate(input)
      const fresh = yield* MirrorParts.ofChange(mirror.place, change)
      if (fresh !== undefined && change.verify !== false) yield* verify(locationOf(fresh.place, fresh.secret))
      const credentials = fresh && {
        place: fresh.place,
        secret: yield* seal(fresh.place.type, fresh.secret, mirror.id)
      }
      const { name, paused } = change
      const at = yield* DateTime.now
      const isThere = yield* repository.update(ref, ref.mirrorId, { name, paused, credentials }, at)
      if (!isThere) return yield* MirrorSteps.missing
      yield* signal.wake(ref.bucketId)
      return record(yield* find(ref))
    }),

    remove: Effect.fn("Mirrors.remove")(function* (actor, ref) {
      yield* access.require(actor, ref.tenantId, "mirror:manage")
      yield* guard(ref)
      if (!(yield* repository.remove(ref, ref.mirrorId))) return yield* MirrorSteps.missing
    }),

    sync: Effect.fn("Mirrors.sync")(function* (actor, ref) {
      yield* access.require(actor, ref.tenantId, "mirror:manage")
      yield* guard(ref)
      if (!(yield* repository.requestSync(ref, ref.mirrorId, yield* DateTime.now))) return yield* MirrorSteps.missing
      yield* signal.wake(ref.bucketId)
      return record(yield* find(ref))
    }),

    files: Effect.fn("Mirrors.files")(function* (actor, ref, request) {
      yield* access.require(actor, ref.tenantId, "mirror:manage")
      yield* find(ref)
      const { state } = yield* decodeFilter(request)
      const page = yield* Page.byId(request, (after, limit) =>
        Effect.map(repository.files(ref.mirrorId, state, after, limit), (files) =>
          files.map((file) => ({ id: file.fileId, file }))
        )
      )
      return { items: page.items.map(({ file }) => file), nextCursor: page.nextCursor }
    })
  })
})

export const layer: Layer.Layer<
  Mirrors,
  never,
  | Access
  | BucketRepository
  | Digest
  | Files
  | Headers
  | MirrorRepository
  | MirrorSignal
  | MirrorTargets
  | SecretBox
  | SecureRandom
  | Uploads
> = Layer.effect(Mirrors, make)
