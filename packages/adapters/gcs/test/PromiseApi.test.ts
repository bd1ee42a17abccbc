import { assert, layer } from "@effect/vitest"
import { open } from "@holdfast/core"
import { sqlite } from "@holdfast/sqlite"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as PromiseApiRoundTrip from "@holdfast/testing/storage/PromiseApiRoundTrip"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { gcs } from "../src/index.ts"
import * as Store from "./support/Store.ts"

const roundTrip = async (endpoint: string, bucket: string, credentials: string) => {
  const metadata = sqlite({ file: ":memory:" })
  await using holdfast = await open({
    metadata,
    blobs: gcs({ bucket, credentials, endpoint })
  })
  return await PromiseApiRoundTrip.run(holdfast)
}

layer(FakeGcs.layer, { excludeTestServices: true })("gcs on a fake of the service", (it) => {
  it.effect("Promise API: uploaded content → read back", () =>
    Effect.gen(function* () {
      const { bucket, credentials, endpoint } = yield* Store.makeBucket
      const text = yield* Effect.promise(() => roundTrip(endpoint, bucket, Redacted.value(credentials)))
      assert.strictEqual(text, "Hello")
    })
  )
})
