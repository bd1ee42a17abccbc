/**
 * Mirrors to S3 for programs that do not use Effect.
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
import * as Bucket from "./support/Bucket.ts"

// A cluster is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

type Options = Effect.Success<typeof Bucket.options>

const plain = ({ credentials: { accessKeyId, secretAccessKey }, ...options }: Options) => ({
  ...options,
  credentials: { accessKeyId, secretAccessKey: Redacted.value(secretAccessKey) }
})

const openOn = (options: Options, mirrors: ReturnType<typeof s3Mirrors>) =>
  open({
    metadata: sqlite({ file: ":memory:" }),
    blobs: s3(plain(options)),
    mirrors: [mirrors],
    secretKey: new Uint8Array(32).fill(1)
  })

/** A bucket with a file, and what makes a mirror of it. */
const setUp = async (holdfast: Holdfast, target: Options) => {
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "media" })
  const place = { tenantId: tenant.id, bucketId: bucket.id }
  await holdfast.files.upload(ada, { ...place, name: "hello.txt", path: "/a/", content: "Hello" })
  const { bucket: bucketName, credentials, endpoint, region } = plain(target)
  const input = { ...place, ...credentials, name: "copies", bucketName, endpoint, region, forcePathStyle: true }
  return { ada, place, input: { ...input, type: "S3" } as const }
}

const roundTrip = async (blobs: Options, target: Options) => {
  await using holdfast = await openOn(blobs, s3Mirrors({ allowPrivate: true }))
  const { ada, input, place } = await setUp(holdfast, target)
  const { id: mirrorId, type } = await holdfast.mirrors.create(ada, input)
  assert.strictEqual(type, "CLOUD_A")
  for (;;) {
    const { stats } = await holdfast.mirrors.get(ada, { ...place, mirrorId })
    if (stats.pending === 0) return assert.strictEqual(stats.copied, 1)
    await new Promise(setImmediate)
  }
}

const refusal = async (blobs: Options, target: Options): Promise<unknown> => {
  await using holdfast = await openOn(blobs, s3Mirrors())
  const { ada, input } = await setUp(holdfast, target)
  return await holdfast.mirrors.create(ada, input).catch((error: unknown) => error)
}

requires(CephRgw.missing).describe("s3Mirrors on Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("keeps a copy of a bucket", () =>
      Effect.gen(function* () {
        const [blobs, target] = [yield* Bucket.options, yield* Bucket.options]
        yield* Effect.promise(() => roundTrip(blobs, target))
        const client = yield* Bucket.client(target)
        const object = yield* Effect.promise(() =>
          client.send(new GetObjectCommand({ Bucket: target.bucket, Key: "a/hello.txt" }))
        )
        assert.strictEqual(yield* Effect.promise(async () => object.Body?.transformToString()), "Hello")
      })
    )

    it.effect("refuses addresses inside unless it is told otherwise", () =>
      Effect.gen(function* () {
        const [blobs, target] = [yield* Bucket.options, yield* Bucket.options]
        const error = yield* Effect.promise(() => refusal(blobs, target))
        assert.instanceOf(error, MirrorTargetUnreachable)
        assert.strictEqual(error.reason, "Refused")
      })
    )
  })
)
