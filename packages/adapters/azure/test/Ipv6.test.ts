/**
 * Endpoints whose host is a literal of IPv6.
 */
import { assert, it } from "@effect/vitest"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import { requires } from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { networkInterfaces } from "node:os"
import * as AzureBlobStore from "../src/AzureBlobStore.ts"
import { azureMirrors } from "../src/index.ts"
import * as Keys from "./support/Keys.ts"
import * as Service from "./support/Service.ts"

const missing = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"))
  ? undefined
  : "the machine has no ::1"

/** Takes every blob, and has none. */
const serve = Service.serve((request, response) => {
  if (request.method === "PUT") Service.created(response)
  else Service.refuse(404, "BlobNotFound")(request, response)
}, "::1")

requires(missing).describe("Azure at a literal of IPv6", () => {
  it.live("keeps blobs", () =>
    Effect.gen(function* () {
      const { account, received, seen } = yield* serve
      const store = yield* AzureBlobStore.make({ ...account, container: "container", maxAttempts: 1 })
      const { size } = yield* store.put(Keys.key(0), Stream.make(Buffer.from("Hello")))
      assert.strictEqual(size, 5)
      assert.isTrue(seen().length > 0 && seen().every((request) => request.startsWith("PUT")))
      assert.strictEqual(`http://${received[0]?.headers.host}`, account.endpoint)
    })
  )

  it.live("keeps blobs of a connection string", () =>
    Effect.gen(function* () {
      const { account, seen } = yield* serve
      const key = Redacted.value(account.accountKey)
      const connectionString = Redacted.make(
        `DefaultEndpointsProtocol=http;AccountName=${account.accountName};AccountKey=${key};BlobEndpoint=${account.endpoint}/${account.accountName};`
      )
      const store = yield* AzureBlobStore.make({ connectionString, container: "container", maxAttempts: 1 })
      assert.strictEqual((yield* Effect.flip(store.stat(Keys.key(0)))).reason, "NotFound")
      assert.deepStrictEqual(seen(), ["HEAD"])
    })
  )

  it.live("is no mirror's target, unless addresses inside are allowed", () =>
    Effect.gen(function* () {
      const { account, seen } = yield* serve
      const location = { type: "AZURE_BLOB", containerName: "container", ...account } as const
      const refusing = yield* azureMirrors().targets.AZURE_BLOB(location)
      const error = yield* Effect.flip(refusing.stat("a"))
      assert.deepStrictEqual([error.reason, error.detail], ["Refused", AddressRefused.detail])
      assert.deepStrictEqual(seen(), [])
      const allowing = yield* azureMirrors({ allowPrivate: true }).targets.AZURE_BLOB(location)
      assert.isTrue(Option.isNone(yield* allowing.stat("a")))
      assert.deepStrictEqual(seen(), ["HEAD"])
    })
  )
})
