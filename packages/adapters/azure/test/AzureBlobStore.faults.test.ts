import { assert, describe, it } from "@effect/vitest"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import * as RemoteStoreFaults from "@holdfast/testing/storage/RemoteStoreFaults"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { inspect } from "node:util"
import * as AzureBlobStore from "../src/AzureBlobStore.ts"
import * as ScriptedAzure from "./support/ScriptedAzure.ts"

const key = BlobKeys.key(0)

const md5 = (body: Buffer): string => createHash("md5").update(body).digest("base64")

RemoteStoreFaults.suite("AzureBlobStore", ScriptedAzure.protocol)

describe("AzureBlobStore: credentials", () => {
  it.live("token, endpoint without TLS → Internal, no request", () =>
    Effect.gen(function* () {
      const { endpoint, requests } = yield* ScriptedServer.open((_request, response) =>
        ScriptedAzure.sendCreated(response)
      )
      const { accountName } = ScriptedAzure.account
      const token = { getToken: async () => ({ token: "a token", expiresOnTimestamp: Number.MAX_SAFE_INTEGER }) }
      const store = yield* AzureBlobStore.make({ accountName, endpoint, token, container: "container" })
      assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(3, 10)))).reason, "Internal")
      assert.deepStrictEqual(requests, [])
    })
  )

  it.live.each([
    { connectionString: Redacted.make("AccountKey=verysecret;BlobEndpoint") },
    { accountName: "Not A Name", accountKey: Redacted.make("verysecret") },
    { accountName: "account", accountKey: Redacted.make("verysecret"), endpoint: "https://verysecret@example.com" }
  ])("open: invalid account %j → Internal, without secrets", (account) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(AzureBlobStore.make({ ...account, container: "container" }))
      assert.deepStrictEqual([error.reason, error.operation], ["Internal", "open"])
      assert.notInclude(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }), "verysecret")
    })
  )
})

describe("AzureBlobStore: checksums", () => {
  it.live("put: small content → one request with its MD5", () =>
    Effect.gen(function* () {
      const { requests, store } = yield* ScriptedAzure.openStore((_request, response) =>
        ScriptedAzure.sendCreated(response)
      )
      yield* store.put(key, Generate.stream(4, 100_000))
      assert.deepStrictEqual(ScriptedAzure.summarize(requests), ["PUT"])
      const [request] = requests
      assert.isDefined(request)
      assert.isTrue(request.body.equals(Generate.bytes(4, 100_000)))
      assert.strictEqual(request.headers["content-md5"], md5(request.body))
    })
  )

  it.live("put: two contents in blocks → MD5 of every block, and block ids of one length that are unique", () =>
    Effect.gen(function* () {
      const { requests, store } = yield* ScriptedAzure.openStore((_request, response) =>
        ScriptedAzure.sendCreated(response)
      )
      const size = 20 * 1024 * 1024
      for (let turn = 0; turn < 2; turn++) {
        assert.strictEqual((yield* store.put(key, Generate.stream(5, size))).size, size)
      }
      const blocks = requests.filter(({ url }) => url.searchParams.get("comp") === "block")
      for (const { body, headers } of blocks) assert.strictEqual(headers["content-md5"], md5(body))
      const ids = blocks.map(({ url }) => url.searchParams.get("blockid") ?? "")
      assert.strictEqual(new Set(ids).size, 6)
      assert.strictEqual(new Set(ids.map((id) => id.length)).size, 1)
      const lists = requests.filter(({ url }) => url.searchParams.get("comp") === "blocklist")
      assert.deepStrictEqual(
        lists.map(({ body }) => [...body.toString().matchAll(/<Latest>(.*?)<\/Latest>/g)].length),
        [3, 3]
      )
      assert.deepStrictEqual(
        lists.flatMap(({ body }) => [...body.toString().matchAll(/<Latest>(.*?)<\/Latest>/g)].map(([, id]) => id)),
        [...ids.slice(0, 3).toSorted(), ...ids.slice(3).toSorted()]
      )
    })
  )
})
