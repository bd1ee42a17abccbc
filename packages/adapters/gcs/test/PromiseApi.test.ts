import { assert, layer } from "@effect/vitest"
import { sqlite } from "@holdfast/sqlite"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as PromiseApiRoundTrip from "@holdfast/testing/storage/PromiseApiRoundTrip"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { gcs } from "../src/index.ts"
import * as Store from "./support/Store.ts"

layer(FakeGcs.layer, { excludeTestServices: true })("gcs on a fake of the service", (it) => {
  it.effect("Promise API: uploaded content → read back", () =>
    Effect.gen(function* () {
      const { credentials, ...bucket } = yield* Store.makeBucket
      const blobs = gcs({ ...bucket, credentials: Redacted.value(credentials) })
      const metadata = sqlite({ file: ":memory:" })
      assert.strictEqual(yield* Effect.promise(() => PromiseApiRoundTrip.run({ metadata, blobs })), "Hello")
    })
  )
})
