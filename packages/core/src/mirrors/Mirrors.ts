/**
 * Mirrors of buckets: creating, reading, changing and removing them. `MirrorWorker` does their work.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import { type InvalidCursor, type InvalidRequest, NotFound } from "../Errors.ts"
import { checkBucketId } from "../files/FileLookup.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Files } from "../files/Files.ts"
import type { Uploads } from "../files/Uploads.ts"
import type { Headers } from "../headers/Headers.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import type { SecretBox } from "../secrets/SecretBox.ts"
import { type Mirror, type MirrorFile, MirrorFileState } from "./Mirror.ts"
import type { MirrorLoop, MirrorTargetUnreachable, MirrorTypeUnavailable } from "./MirrorErrors.ts"
import type { CreateMirror, UpdateMirror } from "./MirrorInput.ts"
import { MirrorRepository } from "./MirrorRepository.ts"
import * as MirrorSetup from "./MirrorSetup.ts"
import { FileChangeNotifier } from "../files/FileChangeNotifier.ts"
import * as MirrorSteps from "./MirrorSteps.ts"
import type { MirrorRef } from "./MirrorSteps.ts"
import type { MirrorTargets } from "./targets/MirrorTarget.ts"

export type { MirrorRef } from "./MirrorSteps.ts"

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

const { record } = MirrorSteps

const make = Effect.gen(function* () {
  const access = yield* Access
  const buckets = yield* BucketRepository
  const repository = yield* MirrorRepository
  const signal = yield* FileChangeNotifier
  const { find, guard } = yield* MirrorSteps.make
  const setup = yield* MirrorSetup.make

  return Mirrors.of({
    create: setup.create,

    list: Effect.fn("Mirrors.list")(function* (actor, bucket, page) {
      yield* access.require(actor, bucket.tenantId, "mirror:manage")
      yield* checkBucketId(bucket)
      const now = yield* DateTime.now
      const found = yield* Page.listById(page, ({ after, limit }) =>
        Effect.map(repository.list(bucket, after, limit, now), (mirrors) => mirrors.map(record))
      )
      if (found.items.length === 0) {
        yield* NotFound.whenNone(buckets.find(bucket), new NotFound({ resource: "bucket" }))
      }
      return found
    }),

    get: Effect.fn("Mirrors.get")(function* (actor, ref) {
      yield* access.require(actor, ref.tenantId, "mirror:manage")
      return record(yield* find(ref))
    }),

    update: setup.update,

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
      const page = yield* Page.listById(request, ({ after, limit }) =>
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
  | FileChangeNotifier
  | MirrorTargets
  | SecretBox
  | SecureRandom
  | Uploads
> = Layer.effect(Mirrors, make)
