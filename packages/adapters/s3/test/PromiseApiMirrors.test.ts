/**
 * Mirrors to S3 by the Promise API.
 */
import { GetObjectCommand } from "@aws-sdk/client-s3"
import { assert, layer, vi } from "@effect/vitest"
import { type Holdfast, MirrorTargetUnreachable, open } from "@holdfast/core"
import { sqlite } from "@holdfast/sqlite"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { s3, s3Mirrors } from "../src/index.ts"
import * as Store from "./support/Store.ts"

// The tests start a cluster. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const toPlain = ({ credentials: { accessKeyId, secretAccessKey }, ...options }: Store.BucketOptions) => ({
  ...options,
  credentials: { accessKeyId, secretAccessKey: Redacted.value(secretAccessKey) }
})

const openHoldfast = (options: Store.BucketOptions, mirrors: ReturnType<typeof s3Mirrors>) =>
  open({
    metadata: sqlite({ file: ":memory:" }),
    blobs: s3(toPlain(options)),
    mirrors: [mirrors],
    secretKey: new Uint8Array(32).fill(1)
  })

/** Creates a bucket with a file. Returns the input that creates a mirror of it. */
const setUp = async (holdfast: Holdfast, target: Store.BucketOptions) => {
  const account = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(account, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(account, { tenantId: tenant.id, name: "media" })
  const source = { tenantId: tenant.id, bucketId: bucket.id }
  await holdfast.files.upload(account, { ...source, name: "hello.txt", path: "/a/", content: "Hello" })
  const { bucket: bucketName, credentials, endpoint, region } = toPlain(target)
  const input = { ...source, ...credentials, name: "copies", bucketName, endpoint, region, forcePathStyle: true }
  return { account, source, input: { ...input, type: "S3" } as const }
}

const roundTrip = async (blobs: Store.BucketOptions, target: Store.BucketOptions) => {
  await using holdfast = await openHoldfast(blobs, s3Mirrors({ allowPrivate: true }))
  const { account, input, source } = await setUp(holdfast, target)
  const { id: mirrorId, type } = await holdfast.mirrors.create(account, input)
  assert.strictEqual(type, "CLOUD_A")
  for (;;) {
    const { stats } = await holdfast.mirrors.get(account, { ...source, mirrorId })
    if (stats.pending === 0) return assert.strictEqual(stats.copied, 1)
    await new Promise(setImmediate)
  }
}

const createRefused = async (blobs: Store.BucketOptions, target: Store.BucketOptions): Promise<unknown> => {
  await using holdfast = await openHoldfast(blobs, s3Mirrors())
  const { account, input } = await setUp(holdfast, target)
  return await holdfast.mirrors.create(account, input).catch((error: unknown) => error)
}

requires(CephRgw.missing).describe("s3Mirrors on Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("mirror created → the bucket is copied", () =>
      Effect.gen(function* () {
        const [blobs, target] = [yield* Store.makeBucket, yield* Store.makeBucket]
        yield* Effect.promise(() => roundTrip(blobs, target))
        const client = yield* Store.openClient(target)
        const object = yield* Effect.promise(() =>
          client.send(new GetObjectCommand({ Bucket: target.bucket, Key: "a/hello.txt" }))
        )
        assert.strictEqual(yield* Effect.promise(async () => object.Body?.transformToString()), "Hello")
      })
    )

    it.effect("private address, allowPrivate absent → creation refused", () =>
      Effect.gen(function* () {
        const [blobs, target] = [yield* Store.makeBucket, yield* Store.makeBucket]
        const error = yield* Effect.promise(() => createRefused(blobs, target))
        assert.instanceOf(error, MirrorTargetUnreachable)
        assert.strictEqual(error.reason, "Refused")
      })
    )
  })
)
