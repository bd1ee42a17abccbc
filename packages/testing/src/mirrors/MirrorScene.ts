/**
 * What tests of mirrors begin with: every service that mirrors need over a metadata store, a bucket, and targets in memory.
 */
import * as Access from "@holdfast/core/access/Access"
import * as Actor from "@holdfast/core/Actor"
import * as Buckets from "@holdfast/core/buckets/Buckets"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Downloads from "@holdfast/core/files/Downloads"
import * as Files from "@holdfast/core/files/Files"
import * as Uploads from "@holdfast/core/files/Uploads"
import * as Headers from "@holdfast/core/headers/Headers"
import type { MirrorRef } from "@holdfast/core/mirrors/MirrorRepository"
import * as Mirrors from "@holdfast/core/mirrors/Mirrors"
import * as FileChangeNotifier from "@holdfast/core/files/FileChangeNotifier"
import * as FileWriter from "@holdfast/core/files/FileWriter"
import type { MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { type MirroredFile, objectName } from "@holdfast/core/mirrors/targets/MirroredFile"
import * as MirrorWorker from "@holdfast/core/mirrors/worker/MirrorWorker"
import type { MirrorWorkerOptions } from "@holdfast/core/mirrors/worker/MirrorWorkerOptions"
import * as ObjectDescription from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as AesSecretBox from "@holdfast/core/secrets/AesSecretBox"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Metadata } from "@holdfast/core/Holdfast"
import * as Sample from "../metadata/Sample.ts"
import * as Fixtures from "../metadata/Fixtures.ts"
import * as MemoryBlobStore from "../storage/MemoryBlobStore.ts"
import * as MemoryTargets from "./MemoryTargets.ts"

/** Everything but a worker, with these targets; contents are in memory unless another store is given. */
export const servicesTo = <Targets, E2, Out, E>(
  targets: Layer.Layer<MirrorTargets | Targets, E2>,
  metadata: Layer.Layer<Metadata | Out, E>,
  blobs: Layer.Layer<BlobStore> = MemoryBlobStore.layer
) =>
  Mirrors.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Files.layer, Uploads.layer, Downloads.layer, Headers.layer, Buckets.layer)),
    Layer.provideMerge(Layer.merge(Access.layer, FileWriter.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        metadata,
        blobs,
        targets,
        FileChangeNotifier.layer,
        AesSecretBox.layer({ current: Redacted.make(new Uint8Array(32).fill(7)) }).pipe(
          Layer.provide(Aead.layerWebCrypto),
          Layer.orDie
        )
      )
    ),
    Layer.provideMerge(Layer.mergeAll(SecureRandom.layerWebCrypto, Digest.layerWebCrypto))
  )

/** Everything but a worker, with targets in memory. */
export const services = <Out, E>(metadata: Layer.Layer<Metadata | Out, E>) =>
  servicesTo<MemoryTargets.MemoryTargets, never, Out, E>(MemoryTargets.layer, metadata)

/** A worker that hurries. */
export const hurried: Partial<MirrorWorkerOptions> = {
  pollInterval: Duration.millis(5),
  minBackoff: Duration.millis(1),
  maxBackoff: Duration.millis(10)
}

/** Starts a worker in the scope. */
export const startWorker = (options: Partial<MirrorWorkerOptions> = {}) =>
  Layer.build(Layer.fresh(MirrorWorker.layer({ ...hurried, ...options })))

/** Runs a worker beside the effect; it ends with it. */
export const withWorker = <A, E, R>(self: Effect.Effect<A, E, R>, options: Partial<MirrorWorkerOptions> = {}) =>
  Effect.scoped(Effect.andThen(startWorker(options), self))

/** Waits until what an effect gives is as wanted. */
export const until = <A, E, R>(self: Effect.Effect<A, E, R>, isWanted: (value: A) => boolean) =>
  Effect.repeat(self, { until: isWanted, schedule: Schedule.spaced("2 millis") })

/** A bucket with a mirror into a target of its own. */
export const mirrored = Effect.fnUntraced(function* (given?: BucketRef) {
  const bucket = given ?? (yield* Fixtures.bucket())
  const bucketName = Sample.word()
  const mirror = yield* (yield* Mirrors.Mirrors).create(Actor.system, bucket, {
    type: "CLOUD_A",
    name: "A mirror",
    region: "here",
    bucketName,
    accessKeyId: "key",
    secretAccessKey: Redacted.make("secret")
  })
  const target = yield* (yield* MemoryTargets.MemoryTargets).of(bucketName)
  return { bucket, mirror, ref: { ...bucket, mirrorId: mirror.id }, target }
})

export const record = (ref: MirrorRef) => Effect.flatMap(Mirrors.Mirrors, (mirrors) => mirrors.get(Actor.system, ref))

/** Waits until nothing is pending. */
export const settled = (ref: MirrorRef) => until(record(ref), ({ stats }) => stats.pending === 0)

const encoder = new TextEncoder()

export const upload = (
  bucket: BucketRef,
  name: string,
  text: string,
  more: { readonly path?: string; readonly metadata?: Record<string, string> } = {}
) =>
  Effect.flatMap(Uploads.Uploads, (uploads) =>
    uploads.upload(Actor.system, bucket, Stream.make(encoder.encode(text)), Effect.succeed({ name, ...more }))
  )

export const reupload = (bucket: BucketRef, file: string, text: string) =>
  Effect.flatMap(Uploads.Uploads, (uploads) =>
    uploads.reupload(Actor.system, { ...bucket, fileId: file }, Stream.make(encoder.encode(text)))
  )

/** Every file with content, in order. */
export const filesOf = Effect.fnUntraced(function* (bucket: BucketRef) {
  const files = yield* (yield* FileRepository).list({ bucket, query: { path: "/", recursive: true }, limit: 10_000 })
  return files.filter((file): file is MirroredFile => file.content !== null)
})

interface Shown {
  readonly name: string
  readonly bytes: string
  readonly description: ObjectDescription.ObjectDescription
}

const byName = (shown: ReadonlyArray<Shown>) => shown.toSorted((a, b) => (a.name < b.name ? -1 : 1))
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** What a target of a bucket has to hold. */
export const wanted = Effect.fnUntraced(function* (bucket: BucketRef) {
  const store = yield* BlobStore
  const shown = yield* Effect.forEach(yield* filesOf(bucket), (file) =>
    store.read(BlobKey.make({ ...bucket, blobId: file.content.blobId })).pipe(
      Stream.runCollect,
      Effect.map((chunks) => ({
        name: objectName(file),
        bytes: hex(Buffer.concat([...chunks])),
        description: ObjectDescription.of(file)
      }))
    )
  )
  return byName(shown)
})

/** What a target holds. */
export const held = Effect.fnUntraced(function* (target: MemoryTargets.MemoryTarget) {
  const shown = yield* Effect.forEach(yield* target.names, (name) =>
    Effect.map(target.readBack(name), (found) => {
      const { bytes, description } = Option.getOrThrow(found)
      return { name, bytes: hex(bytes), description }
    })
  )
  return byName(shown)
})
