import { assert, layer, vi } from "@effect/vitest"
import { sqlite } from "@holdfast/sqlite"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as PromiseApiRoundTrip from "@holdfast/testing/storage/PromiseApiRoundTrip"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { s3 } from "../src/index.ts"
import * as Store from "./support/Store.ts"

// The test starts a cluster. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

requires(CephRgw.missing).describe("s3 on Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("Promise API: uploaded content → read back", () =>
      Effect.gen(function* () {
        const { bucket, credentials, endpoint } = yield* Store.makeBucket
        const { accessKeyId, secretAccessKey } = credentials
        const blobs = s3({
          bucket,
          region: "us-east-1",
          endpoint,
          forcePathStyle: true,
          credentials: { accessKeyId, secretAccessKey: Redacted.value(secretAccessKey) }
        })
        const metadata = sqlite({ file: ":memory:" })
        assert.strictEqual(yield* Effect.promise(() => PromiseApiRoundTrip.run({ metadata, blobs })), "Hello")
      })
    )
  })
)
