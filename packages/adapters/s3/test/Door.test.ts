import { assert, layer, vi } from "@effect/vitest"
import { open } from "@holdfast/core"
import { sqlite } from "@holdfast/sqlite"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { s3 } from "../src/index.ts"
import * as Bucket from "./support/Bucket.ts"

// A cluster is started, which takes a busy machine longer than vitest gives by default.
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
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "media" })
  const place = { tenantId: tenant.id, bucketId }
  const file = await holdfast.files.upload(ada, { ...place, name: "hello.txt", content: "Hello" })
  return (await holdfast.files.read(ada, { ...place, fileId: file.id })).response().text()
}

requires(CephRgw.missing).describe("s3 on Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("keeps the contents of a program that does not use Effect", () =>
      Effect.gen(function* () {
        const { bucket, credentials, endpoint } = yield* Bucket.options
        const secret = Redacted.value(credentials.secretAccessKey)
        const text = yield* Effect.promise(() => roundTrip(endpoint, bucket, credentials.accessKeyId, secret))
        assert.strictEqual(text, "Hello")
      })
    )
  })
)
