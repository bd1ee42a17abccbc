import { AbortMultipartUploadCommand, CreateMultipartUploadCommand, UploadPartCommand } from "@aws-sdk/client-s3"
import { assert, layer, vi } from "@effect/vitest"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Effect from "effect/Effect"
import * as StaleUploads from "../src/StaleUploads.ts"
import * as Store from "./support/Store.ts"

// The tests start a cluster. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024

requires(CephRgw.missing).describe("S3BlobStore on Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("StaleUploads.sweep: aborts the store's uploads that are older than an age, and no others", () =>
      Effect.gen(function* () {
        const { client, options, pendingUploads, store } = yield* Store.open
        const begin = (Key: string) =>
          Effect.promise(async () => {
            const target = { Bucket: options.bucket, Key }
            const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
            await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: "half" }))
            return { ...target, UploadId }
          })
        yield* Effect.forEach([BlobKeys.key(0), BlobKeys.key(1)], begin)
        const foreign = yield* begin("another program's")
        yield* store.put(BlobKeys.key(2), Generate.stream(5, 10))
        assert.strictEqual(yield* StaleUploads.sweep(options, "1 hour"), 0)
        assert.strictEqual((yield* pendingUploads).length, 3)
        assert.strictEqual(yield* StaleUploads.sweep(options, 0), 2)
        assert.deepStrictEqual(yield* pendingUploads, [foreign.Key])
        assert.deepStrictEqual(yield* store.stat(BlobKeys.key(2)), { size: 10 })
        yield* Effect.promise(() => client.send(new AbortMultipartUploadCommand(foreign)))
      })
    )

    it.effect.each([9000, 20 * mebibyte])("put: %i bytes, quota reached → StorageFull, no upload pending", (size) =>
      Effect.gen(function* () {
        const { pendingUploads, store } = yield* Store.open
        const gateway = yield* CephRgw.CephRgw
        yield* gateway.setQuota(1)
        yield* Effect.gen(function* () {
          const error = yield* Effect.flip(store.put(BlobKeys.key(0), Generate.stream(8, size)))
          assert.strictEqual(error.reason, "StorageFull")
          assert.deepStrictEqual(yield* pendingUploads, [])
        }).pipe(Effect.ensuring(Effect.orDie(gateway.setQuota(undefined))))
      })
    )
  })
)
