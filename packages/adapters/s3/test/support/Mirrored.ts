/**
 * Buckets with mirrors to the gateway, with a worker at work.
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
import * as Bucket from "./Bucket.ts"
import * as Mirror from "./Mirror.ts"

type Bucket = Effect.Success<typeof Bucket.options>

/** Services of the test's own, with targets of S3. */
export const services = (options: Partial<S3Options.MirrorOptions> = {}) =>
  Layer.fresh(MirrorHarness.layerWithTargets(Mirror.targets(options), MemoryMetadata.layer))

/** A mirror of a bucket to a bucket of the gateway, by the endpoint given. */
export const mirror = Effect.fnUntraced(function* (bucket: BucketRef, endpoint?: string) {
  const target = yield* Bucket.options
  const client = yield* Bucket.client(target)
  const input = { ...Mirror.input(target), ...(endpoint === undefined ? {} : { endpoint }) }
  const { id } = yield* (yield* Mirrors).create(Actor.system, bucket, input)
  return { bucket, target, client, ref: { ...bucket, mirrorId: id } }
})

export type Mirrored = Effect.Success<ReturnType<typeof mirror>>

/** The same over a line, which is the test's to disturb. */
export const overLine = Effect.fnUntraced(function* (bucket: BucketRef, to: string) {
  const line = yield* TcpProxy.open(Number(new URL(to).port))
  return { line, ...(yield* mirror(bucket, `http://127.0.0.1:${line.port}`)) }
})

/** A bucket with a mirror, and a worker. */
export const scene = Effect.fnUntraced(function* (options?: Partial<MirrorWorkerOptions>) {
  const made = yield* mirror(yield* Fixtures.bucket())
  yield* MirrorHarness.startWorker(options)
  return made
})

/** The keys of all objects, as another client lists them. */
export const keys = (client: S3Client, { bucket }: Pick<Bucket, "bucket">) =>
  Effect.promise(async () => {
    const found: Array<string> = []
    let token: string | undefined
    do {
      const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }))
      found.push(...(page.Contents ?? []).map(({ Key = "" }) => Key))
      token = page.NextContinuationToken
    } while (token !== undefined)
    return found
  })

/** What stands at the target, as another client reads it. */
export const held = Effect.fnUntraced(function* ({ client, target }: Mirrored) {
  const read = Mirror.readBack(client, target.bucket)
  const shown = yield* Effect.forEach(
    yield* keys(client, target),
    (name) =>
      Effect.map(read(name), (found) => {
        const { bytes, description } = Option.getOrThrow(found)
        const known = Object.entries(description).filter(([, value]) => value !== undefined)
        return { name, bytes: Buffer.from(bytes).toString("hex"), description: Object.fromEntries(known) }
      }),
    { concurrency: 8 }
  )
  return shown.toSorted((a, b) => (a.name < b.name ? -1 : 1))
})

/** The target holds the bucket with headers and metadata, and nothing else. */
export const assertEqual = Effect.fnUntraced(function* (mirrored: Mirrored) {
  const wanted: ReadonlyArray<unknown> = yield* MirrorHarness.expectedObjects(mirrored.bucket)
  assert.deepEqual(yield* held(mirrored), wanted)
})

/** Waits until the mirror has nothing to do; then the target is equal. */
export const converge = (mirrored: Mirrored) =>
  Effect.andThen(MirrorHarness.untilCopied(mirrored.ref), assertEqual(mirrored))
