/**
 * The service of mirrors: creates, reads, changes and removes them. `MirrorWorker` copies the files.
 */
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import { type InvalidCursor, type InvalidRequest, NotFound, type QuotaExceeded } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import { FileChangeNotifier } from "../files/FileChangeNotifier.ts"
import { checkBucketId } from "../files/internal/FileLookup.ts"
import type { Downloads } from "../files/Downloads.ts"
import type { Files } from "../files/Files.ts"
import type { Uploads } from "../files/Uploads.ts"
import type { Headers } from "../headers/Headers.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import type { SecretBox } from "../secrets/SecretBox.ts"
import { type Mirror, type MirrorFile, MirrorFileState } from "./Mirror.ts"
import type { MirrorLoop, MirrorTargetUnreachable } from "./MirrorErrors.ts"
import type { CreateMirror, UpdateMirror } from "./MirrorInput.ts"
import { type MirrorRef, MirrorRepository } from "./MirrorRepository.ts"
import * as MirrorSetup from "./internal/MirrorSetup.ts"
import * as MirrorSteps from "./internal/MirrorSteps.ts"
import type { MirrorTargets } from "./targets/MirrorTarget.ts"
import type { MirrorTypeUnavailable } from "./targets/MirrorTypeUnavailable.ts"

export interface FilesRequest extends Page.Request {
  /** Lists only files in this state. */
  readonly state?: MirrorFileState | undefined
}

export class Mirrors extends Context.Service<
  Mirrors,
  {
    /**
     * Creates a mirror, which copies every file of the bucket. Unless `verify` is false, first checks that the target can be
     * written.
     */
    readonly create: (
      actor: Actor,
      bucket: BucketRef,
      input: CreateMirror
    ) => Effect.Effect<
      Mirror,
      | AccessError
      | InvalidRequest
      | NotFound
      | QuotaExceeded
      | MirrorLoop
      | MirrorTypeUnavailable
      | MirrorTargetUnreachable
    >

    /** Lists the mirrors of a bucket, ordered by id. */
    readonly list: (
      actor: Actor,
      bucket: BucketRef,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Mirror>, AccessError | InvalidRequest | InvalidCursor | NotFound>

    readonly get: (actor: Actor, mirror: MirrorRef) => Effect.Effect<Mirror, AccessError | NotFound>

    /**
     * Renames a mirror, pauses or resumes it, or changes its credentials. New credentials, and resuming, retry failed copies at
     * once.
     */
    readonly update: (
      actor: Actor,
      mirror: MirrorRef,
      input: UpdateMirror
    ) => Effect.Effect<
      Mirror,
      AccessError | InvalidRequest | NotFound | MirrorTypeUnavailable | MirrorTargetUnreachable
    >

    /** Removes a mirror. The copies stay at the target. */
    readonly remove: (actor: Actor, mirror: MirrorRef) => Effect.Effect<void, AccessError | NotFound>

    /**
     * Requests a reconciliation: a worker compares the target with the bucket, and copies what is missing or different there.
     * Objects that the mirror did not write are not changed. Returns before the reconciliation runs.
     */
    readonly sync: (actor: Actor, mirror: MirrorRef) => Effect.Effect<Mirror, AccessError | NotFound>

    /** Lists the files of a mirror with the state of each copy, ordered by file id. */
    readonly files: (
      actor: Actor,
      mirror: MirrorRef,
      request: FilesRequest
    ) => Effect.Effect<Page.Page<MirrorFile>, AccessError | InvalidRequest | InvalidCursor | NotFound>
  }
>()("@holdfast/core/mirrors/Mirrors") {}

const decodeFilter = Input.decoder(Schema.Struct({ state: Schema.optional(MirrorFileState) }))

const make = Effect.gen(function* () {
  const access = yield* Access
  const buckets = yield* BucketRepository
  const repository = yield* MirrorRepository
  const notifier = yield* FileChangeNotifier
  const { get, requireIds } = yield* MirrorSteps.make
  const setup = yield* MirrorSetup.make

  return Mirrors.of({
    create: setup.create,

    list: Effect.fn("Mirrors.list")(function* (actor, bucket, page) {
      yield* access.require(actor, bucket, "mirror:manage")
      yield* checkBucketId(bucket)
      const now = yield* DateTime.now
      const found = yield* Page.listById(page, ({ after, limit }) =>
        Effect.map(repository.list({ bucket, after, limit, now }), (mirrors) => mirrors.map(MirrorSteps.toRecord))
      )
      if (found.items.length === 0) {
        yield* NotFound.whenNone(buckets.find(bucket), new NotFound({ resource: "bucket" }))
      }
      return found
    }),

    get: Effect.fn("Mirrors.get")(function* (actor, ref) {
      yield* access.require(actor, ref, "mirror:manage")
      return MirrorSteps.toRecord(yield* get(ref))
    }),

    update: setup.update,

    remove: Effect.fn("Mirrors.remove")(function* (actor, ref) {
      const identity = yield* access.require(actor, ref, "mirror:manage")
      yield* requireIds(ref)
      if (!(yield* by(identity)(repository.remove(ref)))) return yield* MirrorSteps.notFound
    }),

    sync: Effect.fn("Mirrors.sync")(function* (actor, ref) {
      const identity = yield* access.require(actor, ref, "mirror:manage")
      yield* requireIds(ref)
      if (!(yield* by(identity)(repository.requestSync(ref, yield* DateTime.now)))) return yield* MirrorSteps.notFound
      yield* notifier.wake(ref.bucketId)
      return MirrorSteps.toRecord(yield* get(ref))
    }),

    files: Effect.fn("Mirrors.files")(function* (actor, ref, request) {
      yield* access.require(actor, ref, "mirror:manage")
      yield* get(ref)
      const { state } = yield* decodeFilter(request)
      const page = yield* Page.listById(request, ({ after, limit }) =>
        Effect.map(repository.files({ mirrorId: ref.mirrorId, state, after, limit }), (files) =>
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
  | Downloads
  | Files
  | Headers
  | MirrorRepository
  | FileChangeNotifier
  | MirrorTargets
  | SecretBox
  | SecureRandom
  | Uploads
> = Layer.effect(Mirrors, make)
