import { assert, layer, vi } from "@effect/vitest"
import { open } from "@holdfast/core"
import { sqlite } from "@holdfast/sqlite"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { azure } from "../src/index.ts"
import * as Container from "./support/Container.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const roundTrip = async (endpoint: string, container: string, accountName: string, accountKey: string) => {
  const metadata = sqlite({ file: ":memory:" })
  await using holdfast = await open({
    metadata,
    blobs: azure({ container, accountName, accountKey, endpoint })
  })
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "media" })
  const place = { tenantId: tenant.id, bucketId }
  const file = await holdfast.files.upload(ada, { ...place, name: "hello.txt", content: "Hello" })
  return (await holdfast.files.read(ada, { ...place, fileId: file.id })).response().text()
}

requires(Azurite.missing).describe("azure on Azurite", () =>
  layer(Azurite.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("keeps the contents of a program that does not use Effect", () =>
      Effect.gen(function* () {
        const { accountKey, accountName, container, endpoint } = yield* Container.options
        const text = yield* Effect.promise(() =>
          roundTrip(endpoint, container, accountName, Redacted.value(accountKey))
        )
        assert.strictEqual(text, "Hello")
      })
    )
  })
)
