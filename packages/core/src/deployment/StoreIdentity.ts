/**
 * The identity of a blob store: a random id, which the database records and under which the store has a small blob. A process with
 * the database of one deployment and the store of another one would answer every read with an error, and its sweeper and `fsck
 * --repair` would remove what the other deployment needs.
 *
 * The id is the last part of the blob's key. Nodes that start at the same time with the same store therefore write different
 * blobs, and the one whose id the database has recorded first is in the store of all.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Ids from "../Ids.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { BlobError } from "../storage/BlobError.ts"
import * as BlobKey from "../storage/BlobKey.ts"
import { BlobRepository } from "../storage/BlobRepository.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import { DeploymentRepository } from "./DeploymentRepository.ts"

const correct =
  "Correct the settings of the database or of the store, or restore the contents. If the store is the right one, run `holdfast fsck --adopt-store`."

const problems = {
  Different: `The blob store is not the one that belongs to the database. ${correct}`,
  Empty: `The blob store has none of the contents that the database refers to. ${correct}`,
  Foreign: `The blob store has contents, and the database refers to none. ${correct}`,
  Restoring: "The restore into this deployment has not finished. Run `holdfast restore` again: it continues."
}

/** The blob store does not belong to the database. */
export class StoreMismatch extends Data.TaggedError("StoreMismatch")<{ readonly reason: keyof typeof problems }> {
  override get message(): string {
    return problems[this.reason]
  }
}

/** The rows that are read to find contents, and the contents that are looked up. */
const sampleRows = 100
const sampleContents = 3

type Store = BlobStore["Service"]

const has = (store: Store, key: string): Effect.Effect<boolean, BlobError> =>
  store.stat(key).pipe(
    Effect.as(true),
    Effect.catchIf(
      (error) => error.reason === "NotFound",
      () => Effect.succeed(false)
    )
  )

const isEmpty = (store: Store): Effect.Effect<boolean, BlobError> =>
  store.list("").pipe(
    Stream.filter(({ key }) => !key.startsWith(BlobKey.identityPrefix)),
    Stream.take(1),
    Stream.runCollect,
    Effect.map((found) => found.length === 0)
  )

/** What the database records, before the id of a snapshot, instead of an identity until the restore of the snapshot has finished. */
const restoring = "restore:"

const compareWith = Effect.fnUntraced(function* (store: Store, recorded: string) {
  if (recorded.startsWith(restoring)) return yield* new StoreMismatch({ reason: "Restoring" })
  if (yield* has(store, BlobKey.ofIdentity(recorded))) return
  return yield* new StoreMismatch({ reason: (yield* isEmpty(store)) ? "Empty" : "Different" })
})

/** Compares contents, where no identity is recorded: in a new deployment, and in one of a version that recorded none. */
const compareContents = Effect.fnUntraced(function* (store: Store) {
  const { list } = yield* BlobRepository
  const rows = yield* list({ limit: sampleRows })
  const samples = rows.filter(({ state }) => state === "READY").slice(0, sampleContents)
  if (samples.length === 0) {
    if (rows.length === 0 && !(yield* isEmpty(store))) return yield* new StoreMismatch({ reason: "Foreign" })
    return
  }
  for (const sample of samples) {
    if (yield* has(store, BlobKey.make(sample))) return
  }
  return yield* new StoreMismatch({ reason: (yield* isEmpty(store)) ? "Empty" : "Different" })
})

const write = (store: Store, id: string): Effect.Effect<unknown, BlobError> =>
  store.put(BlobKey.ofIdentity(id), Stream.make(new TextEncoder().encode("The identity of this blob store.\n")))

const writeNew = (store: Store): Effect.Effect<string, BlobError, SecureRandom> =>
  Effect.tap(Ids.make("blb"), (id) => write(store, id))

type Services = BlobRepository | BlobStore | DeploymentRepository

/**
 * Fails with `StoreMismatch` unless the store is the one that belongs to the database. Where the database has recorded none, records
 * this one if the contents agree. Several processes may call it at the same time.
 */
export const verify: Effect.Effect<void, StoreMismatch | MetadataError | BlobError, Services | SecureRandom> =
  Effect.gen(function* () {
    const store = yield* BlobStore
    const { claimStoreId, findStoreId } = yield* DeploymentRepository
    const recorded = yield* findStoreId
    if (recorded !== undefined) return yield* compareWith(store, recorded)
    yield* compareContents(store)
    const id = yield* writeNew(store)
    const claimed = yield* claimStoreId(id)
    if (claimed === id) return
    yield* store.remove(BlobKey.ofIdentity(id))
    yield* compareWith(store, claimed)
  })

/**
 * As `verify`, for the start of a process. A store that does not answer does not prevent it: the process is not ready, and answers what
 * needs no contents.
 */
export const layerVerified: Layer.Layer<never, StoreMismatch | MetadataError, Services | SecureRandom> =
  Layer.effectDiscard(
    Effect.catchTag(verify, "BlobError", ({ operation, reason }) =>
      Effect.logWarning("blob store not available; its identity is compared at the next start").pipe(
        Effect.annotateLogs({ operation, reason })
      )
    )
  )

/** As `verify`, but records nothing. */
export const compare: Effect.Effect<void, StoreMismatch | MetadataError | BlobError, Services> = Effect.gen(
  function* () {
    const store = yield* BlobStore
    const { findStoreId } = yield* DeploymentRepository
    const recorded = yield* findStoreId
    yield* recorded === undefined ? compareContents(store) : compareWith(store, recorded)
  }
)

/**
 * As `compare`, but gives a store without contents the identity that the database has recorded: its contents were lost, and the
 * caller restores them.
 */
export const compareOrRenew: Effect.Effect<void, StoreMismatch | MetadataError | BlobError, Services> = Effect.catchIf(
  compare,
  (error) => error._tag === "StoreMismatch" && error.reason === "Empty",
  () =>
    Effect.gen(function* () {
      const { findStoreId } = yield* DeploymentRepository
      const recorded = yield* findStoreId
      if (recorded !== undefined) yield* write(yield* BlobStore, recorded)
    })
)

/** Records that a restore of the snapshot has begun. Until `adopt`, no store belongs to the database: no service starts. */
export const beginRestore = (snapshot: string): Effect.Effect<void, MetadataError, DeploymentRepository> =>
  Effect.flatMap(DeploymentRepository, ({ replaceStoreId }) => replaceStoreId(`${restoring}${snapshot}`))

/** Returns the id of the snapshot whose restore has not finished; undefined when there is none. */
export const findRestore: Effect.Effect<string | undefined, MetadataError, DeploymentRepository> = Effect.map(
  Effect.flatMap(DeploymentRepository, ({ findStoreId }) => findStoreId),
  (recorded) => (recorded?.startsWith(restoring) === true ? recorded.slice(restoring.length) : undefined)
)

/**
 * Makes the store that of the database, whatever was recorded: gives it a new identity and records that. A restore calls it at its
 * end, so that the restored deployment and the one that was backed up have different identities.
 */
export const adopt: Effect.Effect<void, MetadataError | BlobError, BlobStore | DeploymentRepository | SecureRandom> =
  Effect.gen(function* () {
    const { replaceStoreId } = yield* DeploymentRepository
    yield* replaceStoreId(yield* writeNew(yield* BlobStore))
  })
