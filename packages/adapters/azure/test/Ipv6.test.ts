/**
 * Endpoints whose host is an IPv6 address.
 */
import { assert, it } from "@effect/vitest"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import { requires } from "@holdfast/testing/Requires"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { networkInterfaces } from "node:os"
import * as AzureBlobStore from "../src/AzureBlobStore.ts"
import { azureMirrors } from "../src/index.ts"
import * as ScriptedAzure from "./support/ScriptedAzure.ts"

const { account } = ScriptedAzure

const missing = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"))
  ? undefined
  : "the machine has no ::1"

/** Starts a service that accepts every blob, and has none. */
const serve = ScriptedServer.open(
  (request, response) => {
    if (request.method === "PUT") ScriptedAzure.sendCreated(response)
    else ScriptedAzure.sendError(404, "BlobNotFound")(request, response)
  },
  { address: "::1" }
)

requires(missing).describe("Azure at an IPv6 address", () => {
  it.live("store: account with endpoint → requests sent to it", () =>
    Effect.gen(function* () {
      const { endpoint, requests } = yield* serve
      const store = yield* AzureBlobStore.make({ ...account, endpoint, container: "container", maxAttempts: 1 })
      const { size } = yield* store.put(BlobKeys.key(0), Stream.make(Buffer.from("Hello")))
      assert.strictEqual(size, 5)
      assert.isTrue(requests.length > 0 && requests.every(({ method }) => method === "PUT"))
      assert.strictEqual(`http://${requests[0]?.headers.host}`, endpoint)
    })
  )

  it.live("store: connection string → requests sent to its endpoint", () =>
    Effect.gen(function* () {
      const { endpoint, requests } = yield* serve
      const key = Redacted.value(account.accountKey)
      const connectionString = Redacted.make(
        `DefaultEndpointsProtocol=http;AccountName=${account.accountName};AccountKey=${key};BlobEndpoint=${endpoint}/${account.accountName};`
      )
      const store = yield* AzureBlobStore.make({ connectionString, container: "container", maxAttempts: 1 })
      assert.strictEqual((yield* Effect.flip(store.stat(BlobKeys.key(0)))).reason, "NotFound")
      assert.deepStrictEqual(ScriptedAzure.summarize(requests), ["HEAD"])
    })
  )

  it.live("mirror target: private address → Refused unless allowPrivate", () =>
    Effect.gen(function* () {
      const { endpoint, requests } = yield* serve
      const location = ScriptedAzure.location(endpoint)
      const refusing = yield* azureMirrors().targets.AZURE_BLOB(location)
      const error = yield* Effect.flip(refusing.stat("a"))
      assert.deepStrictEqual([error.reason, error.detail], ["Refused", AddressRefused.detail])
      assert.deepStrictEqual(ScriptedAzure.summarize(requests), [])
      const allowing = yield* azureMirrors({ allowPrivate: true }).targets.AZURE_BLOB(location)
      assert.isTrue(Option.isNone(yield* allowing.stat("a")))
      assert.deepStrictEqual(ScriptedAzure.summarize(requests), ["HEAD"])
    })
  )
})
