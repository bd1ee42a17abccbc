import { assert, layer, vi } from "@effect/vitest"
import { open } from "@holdfast/core"
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

const roundTrip = async (endpoint: string, bucket: string, accessKeyId: string, secretAccessKey: string) => {
  const metadata = sqlite({ file: ":memory:" })
  await using holdfast = await open({
    metadata,
    blobs: s3({
      bucket,
      region: "us-east-1",
      endpoint,
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey }
    })
  })
  return await PromiseApiRoundTrip.run(holdfast)
}

requires(CephRgw.missing).describe("s3 on Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("Promise API: uploaded content → read back", () =>
      Effect.gen(function* () {
        const { bucket, credentials, endpoint } = yield* Store.makeBucket
        const secret = Redacted.value(credentials.secretAccessKey)
        const text = yield* Effect.promise(() => roundTrip(endpoint, bucket, credentials.accessKeyId, secret))
        assert.strictEqual(text, "Hello")
      })
    )
  })
)
