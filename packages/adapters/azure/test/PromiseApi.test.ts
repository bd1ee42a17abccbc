import { assert, layer, vi } from "@effect/vitest"
import { open } from "@holdfast/core"
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

const roundTrip = async (endpoint: string, container: string, accountName: string, accountKey: string) => {
  const metadata = sqlite({ file: ":memory:" })
  await using holdfast = await open({
    metadata,
    blobs: azure({ container, accountName, accountKey, endpoint })
  })
  return await PromiseApiRoundTrip.run(holdfast)
}

requires(Azurite.missing).describe("azure on Azurite", () =>
  layer(Azurite.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("Promise API: uploaded content → read back", () =>
      Effect.gen(function* () {
        const { accountKey, accountName, container, endpoint } = yield* Store.makeContainer
        const key = Redacted.value(accountKey)
        const text = yield* Effect.promise(() => roundTrip(endpoint, container, accountName, key))
        assert.strictEqual(text, "Hello")
      })
    )
  })
)
