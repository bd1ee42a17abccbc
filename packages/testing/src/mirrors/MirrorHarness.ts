/**
 * The setup of tests of mirrors: the services that mirrors need over a metadata store, workers, and steps with mirrors.
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
import type { CreateMirror } from "@holdfast/core/mirrors/MirrorInput"
import * as Mirrors from "@holdfast/core/mirrors/Mirrors"
import * as FileChangeNotifier from "@holdfast/core/files/FileChangeNotifier"
import * as FileWriter from "@holdfast/core/files/FileWriter"
import type { MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { isMirrored, objectName } from "@holdfast/core/mirrors/targets/MirroredFile"
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

/** Builds all services with these targets, but no worker. Contents are in memory unless another store is given. */
export const layerWithTargets = <Targets, E2, Out, E>(
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

/** Builds all services with targets in memory, but no worker. */
export const layer = <Out, E>(metadata: Layer.Layer<Metadata | Out, E>) =>
  layerWithTargets<MemoryTargets.MemoryTargets, never, Out, E>(MemoryTargets.layer, metadata)

/** Options of a worker with short delays. */
const fastOptions: Partial<MirrorWorkerOptions> = {
  pollInterval: Duration.millis(5),
  minBackoff: Duration.millis(1),
  maxBackoff: Duration.millis(10)
}

/** Starts a worker, which runs until the scope closes. */
export const startWorker = (options: Partial<MirrorWorkerOptions> = {}) =>
  Layer.build(Layer.fresh(MirrorWorker.layer({ ...fastOptions, ...options })))

/** Runs a worker for as long as the effect runs. */
export const withWorker = <A, E, R>(self: Effect.Effect<A, E, R>, options: Partial<MirrorWorkerOptions> = {}) =>
  Effect.scoped(Effect.andThen(startWorker(options), self))

/** Repeats an effect until its result is as wanted, and returns that. */
export const pollUntil = <A, E, R>(self: Effect.Effect<A, E, R>, isWanted: (value: A) => boolean) =>
  Effect.repeat(self, { until: isWanted, schedule: Schedule.spaced("2 millis") })

/** Returns the input for a mirror to the target of this name. */
export const inputFor = (bucketName: string): CreateMirror => ({
  type: "S3",
  name: "A mirror",
  region: "here",
  bucketName,
  accessKeyId: "key",
  secretAccessKey: Redacted.make("secret")
})

/** Creates a mirror of a bucket, a new one unless it is given, with a target in memory that no other mirror has. */
export const createMirror = Effect.fnUntraced(function* (given?: BucketRef) {
  const bucket = given ?? (yield* Fixtures.bucket())
  const bucketName = Sample.word()
  const mirror = yield* (yield* Mirrors.Mirrors).create(Actor.system, bucket, inputFor(bucketName))
  const target = yield* (yield* MemoryTargets.MemoryTargets).get(bucketName)
  return { bucket, mirror, ref: { ...bucket, mirrorId: mirror.id }, target }
})

/** Returns the record of a mirror. */
export const getRecord = (ref: MirrorRef) =>
  Effect.flatMap(Mirrors.Mirrors, (mirrors) => mirrors.get(Actor.system, ref))

/** Waits until no file of a mirror is pending, and returns its record. */
export const untilCopied = (ref: MirrorRef) => pollUntil(getRecord(ref), ({ stats }) => stats.pending === 0)

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

export const reupload = (bucket: BucketRef, fileId: string, text: string) =>
  Effect.flatMap(Uploads.Uploads, (uploads) =>
    uploads.reupload(Actor.system, { ...bucket, fileId }, Stream.make(encoder.encode(text)))
  )

/** Lists all files that have a content. */
export const listFiles = Effect.fnUntraced(function* (bucket: BucketRef) {
  const { files } = yield* (yield* FileRepository).list({
    bucket,
    query: { path: "/", recursive: true },
    limit: 10_000
  })
  return files.filter(isMirrored)
})

interface ObjectSummary {
  readonly name: string
  readonly bytes: string
  readonly description: ObjectDescription.ObjectDescription
}

const sortByName = (objects: ReadonlyArray<ObjectSummary>) => objects.toSorted((a, b) => (a.name < b.name ? -1 : 1))
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** Returns the objects that the target of a bucket has to have, ordered by name. */
export const expectedObjects = Effect.fnUntraced(function* (bucket: BucketRef) {
  const store = yield* BlobStore
  const objects = yield* Effect.forEach(yield* listFiles(bucket), (file) =>
    store.read(BlobKey.make({ ...bucket, blobId: file.content.blobId })).pipe(
      Stream.runCollect,
      Effect.map((chunks) => ({
        name: objectName(file),
        bytes: toHex(Buffer.concat([...chunks])),
        description: ObjectDescription.of(file)
      }))
    )
  )
  return sortByName(objects)
})

/** Returns the objects that a target has, ordered by name. */
export const objectsAt = Effect.fnUntraced(function* (target: MemoryTargets.MemoryTarget) {
  const objects = yield* Effect.forEach(yield* target.names, (name) =>
    Effect.map(target.readBack(name), (found) => {
      const { bytes, description } = Option.getOrThrow(found)
      return { name, bytes: toHex(bytes), description }
    })
  )
  return sortByName(objects)
})
