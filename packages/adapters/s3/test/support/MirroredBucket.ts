/**
 * Buckets with mirrors to Ceph's gateway, and a worker that copies.
 */
import { ListObjectsV2Command, type S3Client } from "@aws-sdk/client-s3"
import { assert } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import type { MirrorWorkerOptions } from "@holdfast/core/mirrors/worker/MirrorWorkerOptions"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as TcpProxy from "@holdfast/testing/servers/TcpProxy"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as S3Options from "../../src/S3Options.ts"
import * as Store from "./Store.ts"
import * as Target from "./Target.ts"

/** The services of one test, with S3 as the only target type. */
export const services = (options: Partial<S3Options.MirrorOptions> = {}) =>
  Layer.fresh(MirrorHarness.layerWithTargets(Target.targets(options), MemoryMetadata.layer))

/** Creates a mirror of a bucket to a fresh bucket of the gateway, or of a proxy at `endpoint`. */
export const createMirror = Effect.fnUntraced(function* (bucket: BucketRef, endpoint?: string) {
  const target = yield* Store.makeBucket
  const client = yield* Store.openClient(target)
  const input = { ...Target.inputOf(target), ...(endpoint === undefined ? {} : { endpoint }) }
  const { id } = yield* (yield* Mirrors).create(Actor.system, bucket, input)
  return { bucket, target, client, ref: { ...bucket, mirrorId: id } }
})

export type MirroredBucket = Effect.Success<ReturnType<typeof createMirror>>

/** Creates a mirror whose target is behind a proxy. */
export const createProxiedMirror = Effect.fnUntraced(function* (bucket: BucketRef, endpoint: string) {
  const proxy = yield* TcpProxy.open(Number(new URL(endpoint).port))
  return { proxy, ...(yield* createMirror(bucket, `http://127.0.0.1:${proxy.port}`)) }
})

/** Creates a bucket with a mirror, and starts a worker. */
export const open = Effect.fnUntraced(function* (options?: Partial<MirrorWorkerOptions>) {
  const mirrored = yield* createMirror(yield* Fixtures.bucket())
  yield* MirrorHarness.startWorker(options)
  return mirrored
})

/** Lists the keys of all objects by another client. */
export const listKeys = (client: S3Client, { bucket }: Pick<Store.BucketOptions, "bucket">) =>
  Effect.promise(async () => {
    const keys: Array<string> = []
    let token: string | undefined
    do {
      const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }))
      keys.push(...(page.Contents ?? []).map(({ Key = "" }) => Key))
      token = page.NextContinuationToken
    } while (token !== undefined)
    return keys
  })

/** Reads all objects of the target by another client, in the order of their names. */
export const readObjects = Effect.fnUntraced(function* ({ client, target }: MirroredBucket) {
  const read = Target.readBack(client, target.bucket)
  const objects = yield* Effect.forEach(
    yield* listKeys(client, target),
    (name) =>
      Effect.map(read(name), (found) => {
        const { bytes, description } = Option.getOrThrow(found)
        const known = Object.entries(description).filter(([, value]) => value !== undefined)
        return { name, bytes: Buffer.from(bytes).toString("hex"), description: Object.fromEntries(known) }
      }),
    { concurrency: 8 }
  )
  return objects.toSorted((a, b) => (a.name < b.name ? -1 : 1))
})

/** Asserts that the target has the bucket's files with headers and metadata, and no other objects. */
export const assertEqual = Effect.fnUntraced(function* (mirrored: MirroredBucket) {
  const wanted: ReadonlyArray<unknown> = yield* MirrorHarness.expectedObjects(mirrored.bucket)
  assert.deepEqual(yield* readObjects(mirrored), wanted)
})

/** Waits until the mirror has no pending tasks, and asserts that the target equals the bucket. */
export const assertConverges = (mirrored: MirroredBucket) =>
  Effect.andThen(MirrorHarness.untilCopied(mirrored.ref), assertEqual(mirrored))
