import * as Actor from "@holdfast/core/Actor"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import { Files } from "@holdfast/core/files/Files"
import { Tenants } from "@holdfast/core/tenants/Tenants"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { makeDirectory, setUp } from "./support.ts"

const parts = ["Hello ", "World"].map((text) => new TextEncoder().encode(text))
const checksum = { sha256: createHash("sha256").update("Hello World").digest("hex") }

/** Uploads a file of two parts. Returns its id. */
const upload = Effect.fnUntraced(function* (bucket: BucketRef) {
  const uploads = yield* ResumableUploads
  const { id: uploadId } = yield* uploads.create(Actor.system, bucket, { name: "a.txt" }, { mode: "PARTS" })
  const ref = { ...bucket, uploadId }
  for (const [index, bytes] of parts.entries()) {
    yield* uploads.putPart(Actor.system, ref, Stream.make(bytes), { number: index + 1 })
  }
  const { checksum, id } = yield* uploads.complete(Actor.system, ref)
  expect(checksum).toBeNull()
  return id
})

describe("contents of several parts, in a program without the service", () => {
  it("open: file uploaded in parts → gets its checksum", async () => {
    const { bucket, holdfast, root } = await setUp({ sweepEvery: "1 minute" })
    const fileId = await Effect.runPromiseWith(PromiseApiContext.of(holdfast).services)(upload(bucket))
    const record = () => holdfast.files.get(root, { ...bucket, fileId })
    await expect.poll(record, { timeout: 20_000 }).toMatchObject({ checksum })
  })

  it("layerDefaults: file uploaded in parts → gets its checksum", async () => {
    const adapters = Layer.merge(
      SqliteMetadata.layer({ file: ":memory:" }),
      FsBlobStore.layer({ directory: makeDirectory() })
    )
    const program = Effect.gen(function* () {
      const tenant = yield* (yield* Tenants).create(Actor.system, { name: "Acme", subdomain: "acme" })
      const { id } = yield* (yield* Buckets).create(Actor.system, tenant.id, { name: "media" })
      const bucket = { tenantId: tenant.id, bucketId: id }
      const fileId = yield* upload(bucket)
      const files = yield* Files
      const get = files.get(Actor.system, { ...bucket, fileId })
      return yield* Effect.repeat(Effect.delay(get, "20 millis"), { until: (file) => file.checksum !== null })
    })
    const layer = Holdfast.layerDefaults.pipe(Layer.provide(adapters))
    expect(await Effect.runPromise(Effect.provide(program, layer))).toMatchObject({ checksum })
  }, 20_000)
})
