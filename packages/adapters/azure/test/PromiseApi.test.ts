import { assert, layer, vi } from "@effect/vitest"
import { sqlite } from "@holdfast/sqlite"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as PromiseApiRoundTrip from "@holdfast/testing/storage/PromiseApiRoundTrip"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { azure } from "../src/index.ts"
import * as Store from "./support/Store.ts"

// The test starts a server. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

requires(Azurite.missing).describe("azure on Azurite", () =>
  layer(Azurite.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("Promise API: uploaded content → read back", () =>
      Effect.gen(function* () {
        const { accountKey, ...container } = yield* Store.makeContainer
        const blobs = azure({ ...container, accountKey: Redacted.value(accountKey) })
        const metadata = sqlite({ file: ":memory:" })
        assert.strictEqual(yield* Effect.promise(() => PromiseApiRoundTrip.run({ metadata, blobs })), "Hello")
      })
    )
  })
)
