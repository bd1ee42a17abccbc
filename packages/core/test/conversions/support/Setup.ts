/**
 * Setup and steps that the tests of conversions share.
 */
import { expect, it } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { Accounts } from "@holdfast/core/accounts/Accounts"
import * as ApiKey from "@holdfast/core/access/ApiKey"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import type { FileRef } from "@holdfast/core/files/FileRef"
import { Uploads } from "@holdfast/core/files/Uploads"
import { Fsck } from "@holdfast/core/storage/Fsck"
import { Sweeper } from "@holdfast/core/storage/Sweeper"
import * as Conversions from "@holdfast/core/conversions/Conversions"
import type { StreamRecord } from "@holdfast/core/conversions/StreamRecord"
import type { ConversionWorkerOptions } from "@holdfast/core/conversions/worker/ConversionWorkerOptions"
import { Tenants } from "@holdfast/core/tenants/Tenants"
import type { Media } from "@holdfast/core/transcoding/Media"
import * as FsConversionWorkspace from "@holdfast/fs/FsConversionWorkspace"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as FaultyBlobStore from "@holdfast/testing/storage/FaultyBlobStore"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Services from "./Services.ts"
import { clearFaults, shortLease, startWorker, until } from "./Services.ts"

export { clearFaults, shortLease, startWorker, until }

/** Metadata and blobs in memory, workspaces on disk. */
const services = Services.withPorts(
  Layer.mergeAll(
    MemoryMetadata.layer,
    Layer.provide(FaultyBlobStore.layer, MemoryBlobStore.layer),
    Layer.unwrap(Effect.map(Services.temporary, (directory) => FsConversionWorkspace.layer({ directory })))
  )
)

/** Registers a test with its own services, in real time. */
export const test = <E>(
  name: string,
  body: Effect.Effect<void, E, Layer.Success<typeof services> | Scope.Scope>
): void => it.live(name, () => Effect.provide(Effect.scoped(body), Layer.fresh(services)))

/** Runs an effect with a worker, which is shut down afterwards. */
export const withWorker = <A, E, R>(self: Effect.Effect<A, E, R>, options: Partial<ConversionWorkerOptions> = {}) =>
  Effect.scoped(Effect.andThen(startWorker(options), self))

/** Makes a bucket and an actor who owns it. */
export const owner = Effect.gen(function* () {
  const unique = Sample.word()
  const { key } = yield* (yield* Accounts).createKey(Actor.system, { email: `${unique}@example.com`, name: "a" })
  const actor = yield* ApiKey.identify(Redacted.value(key))
  const tenant = yield* (yield* Tenants).create(actor, { name: "T", subdomain: `t${unique}` })
  const bucket = yield* (yield* Buckets).create(actor, tenant.id, { name: "b" })
  return { actor, bucket: { tenantId: tenant.id, bucketId: bucket.id } }
})

/** Uploads a video, or another content. */
export const video = Effect.fnUntraced(function* (
  content: Uint8Array = FakeMedia.make(FakeMedia.playable),
  name = "a.mp4"
) {
  const { actor, bucket } = yield* owner
  const file = yield* (yield* Uploads).upload(actor, bucket, Stream.make(content), Effect.succeed({ name }))
  return { actor, ref: { ...bucket, fileId: file.id } }
})

/** Media of this duration, in seconds. */
export const lasting = (seconds: number): Media => ({ ...FakeMedia.playable, duration: seconds })

/** Returns the record of a conversion. */
export const record = (actor: Actor.Actor, ref: FileRef, format: "hls" | "dash" = "hls") =>
  Effect.flatMap(Conversions.Conversions, (conversions) => conversions.get(actor, ref, format))

/** Waits until a conversion has a state. Returns its record. */
export const reached = (
  actor: Actor.Actor,
  ref: FileRef,
  state: StreamRecord["state"],
  format: "hls" | "dash" = "hls"
) => until(record(actor, ref, format), (found) => found.state === state)

/** Sweeps all due blobs, expects that the consistency check finds no fault, and returns the number of remaining blobs. */
export const blobsLeft = Effect.gen(function* () {
  const sweeper = yield* Sweeper
  yield* until(sweeper.sweep({ expireAllUploads: true }), ({ removed }) => removed === 0)
  const { blobs, findings, rows } = yield* (yield* Fsck).check()
  expect(findings).toBe(0)
  expect(rows).toBe(blobs)
  return blobs
})

/** Returns the tag of an effect's error. */
export const tagOf = <A, E extends { readonly _tag: string }, R>(self: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(self), ({ _tag }) => _tag)
