import {
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  SASProtocol,
  StorageSharedKeyCredential
} from "@azure/storage-blob"
import { assert, layer, vi } from "@effect/vitest"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import { readAll } from "@holdfast/testing/storage/remote/RemoteStores"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as AzureBlobStore from "../src/AzureBlobStore.ts"
import type * as AzureOptions from "../src/AzureOptions.ts"
import * as Store from "./support/Store.ts"

// The tests start a server. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024
const key = BlobKeys.key(0)

requires(Azurite.missing).describe("AzureBlobStore on Azurite", () =>
  layer(Azurite.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("put: content of exactly one block → a block; of one byte less → a request", () =>
      Effect.gen(function* () {
        const { blocks, options } = yield* Store.open
        const store = yield* AzureBlobStore.make({ ...options, blockBytes: 1000 })
        for (const [index, size] of [1000, 999].entries()) {
          yield* store.put(BlobKeys.key(index), Generate.stream(1, size))
          assert.isTrue((yield* readAll(store, BlobKeys.key(index))).equals(Generate.bytes(1, size)))
          assert.deepStrictEqual((yield* blocks(BlobKeys.key(index))).committed, size === 1000 ? [1000] : [])
        }
      })
    )

    it.effect(
      "put: fails after some blocks → former blob unchanged; next put → does not use the abandoned blocks",
      () =>
        Effect.gen(function* () {
          const { blocks, store } = yield* Store.open
          yield* store.put(key, Generate.stream(2, 1000))
          // Continues when the service has a block.
          const staged = Stream.fromEffectDrain(
            Effect.repeat(blocks(key), { until: ({ uncommitted }) => uncommitted.length > 0 })
          )
          const some = Stream.concat(Generate.stream(3, 20 * mebibyte), staged)
          assert.strictEqual(yield* Effect.flip(store.put(key, Stream.concat(some, Stream.fail("cut")))), "cut")
          const exit = yield* Effect.exit(store.put(key, Stream.concat(some, Stream.die(new Error("a bug")))))
          assert.isTrue(Exit.hasDies(exit))
          assert.deepStrictEqual(yield* store.stat(key), { size: 1000 })
          assert.isAbove((yield* blocks(key)).uncommitted.length, 0)
          const content = Generate.bytes(4, 9 * mebibyte)
          yield* store.put(key, Generate.stream(4, content.byteLength))
          assert.isTrue((yield* readAll(store, key)).equals(content))
          assert.deepStrictEqual(yield* blocks(key), { committed: [8 * mebibyte, mebibyte], uncommitted: [] })
        })
    )

    it.effect("remove: blob with a snapshot → both removed", () =>
      Effect.gen(function* () {
        const { client, store } = yield* Store.open
        yield* store.put(key, Generate.stream(7, 10))
        yield* Effect.promise(() => client.getBlobClient(key).createSnapshot())
        yield* store.remove(key)
        assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "NotFound")
      })
    )

    it.effect("connection string, shared access signature with and without question mark → every method works", () =>
      Effect.gen(function* () {
        const { options, store } = yield* Store.open
        const { accountName, container, endpoint } = options
        const accountKey = Redacted.value(options.accountKey)
        const connectionString = `DefaultEndpointsProtocol=http;AccountName=${accountName};AccountKey=${accountKey};BlobEndpoint=${endpoint};`
        const sas = generateBlobSASQueryParameters(
          {
            containerName: container,
            permissions: ContainerSASPermissions.parse("racwdl"),
            protocol: SASProtocol.HttpsAndHttp,
            expiresOn: new Date(Date.now() + 3_600_000)
          },
          new StorageSharedKeyCredential(accountName, accountKey)
        ).toString()
        const accounts: ReadonlyArray<AzureOptions.Account> = [
          { connectionString: Redacted.make(connectionString) },
          { accountName, endpoint, sas: Redacted.make(sas) },
          { accountName, endpoint: `${endpoint}/`, sas: Redacted.make(`?${sas}`) }
        ]
        for (const [index, account] of accounts.entries()) {
          const another = yield* AzureBlobStore.make({ ...account, container })
          yield* another.check
          yield* another.put(BlobKeys.key(index), Generate.stream(8, 9 * mebibyte))
          assert.deepStrictEqual(yield* store.stat(BlobKeys.key(index)), { size: 9 * mebibyte })
          assert.strictEqual((yield* Stream.runCollect(another.list(""))).length, 1)
          yield* another.remove(BlobKeys.key(index))
        }
      })
    )
  })
)
