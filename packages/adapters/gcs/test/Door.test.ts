import { assert, layer } from "@effect/vitest"
import { open } from "@holdfast/core"
import { sqlite } from "@holdfast/sqlite"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { gcs } from "../src/index.ts"
import * as Bucket from "./support/Bucket.ts"

const roundTrip = async (endpoint: string, bucket: string, credentials: string) => {
  const metadata = sqlite({ file: ":memory:" })
  await using holdfast = await open({
    metadata,
    blobs: gcs({ bucket, credentials, endpoint })
  })
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "media" })
  const place = { tenantId: tenant.id, bucketId }
  const file = await holdfast.files.upload(ada, { ...place, name: "hello.txt", content: "Hello" })
  return (await holdfast.files.read(ada, { ...place, fileId: file.id })).response().text()
}

layer(FakeGcs.layer, { excludeTestServices: true })("gcs", (it) => {
  it.effect("keeps the contents of a program that does not use Effect", () =>
    Effect.gen(function* () {
      const { bucket, credentials, endpoint } = yield* Bucket.options
      const text = yield* Effect.promise(() => roundTrip(endpoint, bucket, Redacted.value(credentials)))
      assert.strictEqual(text, "Hello")
    })
  )
})
