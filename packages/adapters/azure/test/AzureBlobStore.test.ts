import {
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  SASProtocol,
  StorageSharedKeyCredential
} from "@azure/storage-blob"
import { assert, layer, vi } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as AzureBlobStore from "../src/AzureBlobStore.ts"
import type * as AzureOptions from "../src/AzureOptions.ts"
import * as Container from "./support/Container.ts"
import * as Keys from "./support/Keys.ts"
import * as Proxy from "./support/Proxy.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024

type Store = Effect.Success<ReturnType<typeof AzureBlobStore.make>>

/** A store in a container of its own, and what stands there by the account of the service. */
const open = Effect.gen(function* () {
  const options = yield* Container.options
  const client = Container.client(options)
  /** Sizes of the blocks under a name, with and without a list. */
  const blocks = (name: string) =>
    Effect.promise(() => client.getBlockBlobClient(name).getBlockList("all")).pipe(
      Effect.map(({ committedBlocks = [], uncommittedBlocks = [] }) => ({
        committed: committedBlocks.map(({ size }) => size),
        uncommitted: uncommittedBlocks.map(({ size }) => size)
      }))
    )
  return { options, client, blocks, store: yield* AzureBlobStore.make(options) }
})

const read = (store: Store, key: string) =>
  Effect.map(Stream.runCollect(store.read(key)), (chunks) => Buffer.concat(chunks))

const portOf = ({ endpoint }: Container.TestOptions): number => Number(new URL(endpoint).port)

/** The same account through a line that is cut after so many bytes. */
const through = Effect.fnUntraced(function* (options: Container.TestOptions, after?: number) {
  const line = yield* Proxy.open(portOf(options), after)
  const store = (requests: RequestOptions = {}) =>
    AzureBlobStore.make({
      ...options,
      ...requests,
      endpoint: `http://127.0.0.1:${line.port}/${options.accountName}`
    })
  return { line, store }
})

requires(Azurite.missing).describe("AzureBlobStore on Azurite", () =>
  layer(Azurite.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect.each([8, 9, 16, 37])("puts %i MiB and a byte together from blocks", (size) =>
      Effect.gen(function* () {
        const { blocks, store } = yield* open
        const content = Generate.bytes(size, size * mebibyte + 1)
        const receipt = yield* store.put(Keys.key(0), Generate.stream(size, content.byteLength, [300_001]))
        assert.deepStrictEqual(receipt, { size: content.byteLength, sha256: Generate.sha256(content) })
        assert.isTrue((yield* read(store, Keys.key(0))).equals(content))
        const whole = Array.from({ length: Math.floor(size / 8) }, () => 8 * mebibyte)
        const rest = content.byteLength - whole.length * 8 * mebibyte
        assert.deepStrictEqual(yield* blocks(Keys.key(0)), { committed: [...whole, rest], uncommitted: [] })
      })
    )

    it.effect("puts a content of exactly one block, and one of a byte less", () =>
      Effect.gen(function* () {
        const { blocks, options } = yield* open
        const store = yield* AzureBlobStore.make({ ...options, blockBytes: 1000 })
        for (const [index, size] of [1000, 999].entries()) {
          yield* store.put(Keys.key(index), Generate.stream(1, size))
          assert.isTrue((yield* read(store, Keys.key(index))).equals(Generate.bytes(1, size)))
          assert.deepStrictEqual((yield* blocks(Keys.key(index))).committed, size === 1000 ? [1000] : [])
        }
      })
    )

    it.effect(
      "keeps what stood when a content fails or dies, and never takes the blocks that are left for its own",
      () =>
        Effect.gen(function* () {
          const { blocks, store } = yield* open
          yield* store.put(Keys.key(0), Generate.stream(2, 1000))
          /** Goes on when the service has a block. */
          const staged = Stream.fromEffectDrain(
            Effect.repeat(blocks(Keys.key(0)), { until: ({ uncommitted }) => uncommitted.length > 0 })
          )
          const some = Stream.concat(Generate.stream(3, 20 * mebibyte), staged)
          assert.strictEqual(yield* Effect.flip(store.put(Keys.key(0), Stream.concat(some, Stream.fail("cut")))), "cut")
          const exit = yield* Effect.exit(store.put(Keys.key(0), Stream.concat(some, Stream.die(new Error("a bug")))))
          assert.isTrue(Exit.hasDies(exit))
          assert.deepStrictEqual(yield* store.stat(Keys.key(0)), { size: 1000 })
          assert.isAbove((yield* blocks(Keys.key(0))).uncommitted.length, 0)
          const content = Generate.bytes(4, 9 * mebibyte)
          yield* store.put(Keys.key(0), Generate.stream(4, content.byteLength))
          assert.isTrue((yield* read(store, Keys.key(0))).equals(content))
          assert.deepStrictEqual(yield* blocks(Keys.key(0)), {
            committed: [8 * mebibyte, mebibyte],
            uncommitted: []
          })
        })
    )

    it.effect("shows nothing of blocks under way, nor of those that an interruption leaves", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        const reached = yield* Deferred.make<void>()
        const waiting = Stream.fromEffect(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
        const putting = yield* Effect.forkChild(
          store.put(Keys.key(0), Stream.concat(Generate.stream(5, 20 * mebibyte), waiting))
        )
        yield* Deferred.await(reached)
        const assertNothing = Effect.gen(function* () {
          assert.strictEqual((yield* Effect.flip(store.stat(Keys.key(0)))).reason, "NotFound")
          assert.strictEqual((yield* Effect.flip(read(store, Keys.key(0)))).reason, "NotFound")
          assert.deepStrictEqual(yield* Stream.runCollect(store.list("")), [])
        })
        yield* assertNothing
        yield* Fiber.interrupt(putting)
        yield* assertNothing
        yield* store.remove(Keys.key(0))
      })
    )

    it.effect("keeps to its prefix, and passes over what is not its own", () =>
      Effect.gen(function* () {
        const { client, options, store } = yield* open
        const inner = yield* AzureBlobStore.make({ ...options, prefix: "files/of holdfast/" })
        yield* inner.put(Keys.key(0), Generate.stream(6, 10))
        yield* Effect.promise(() => client.getBlockBlobClient("files/of holdfast/notes.txt").upload("notes", 5))
        assert.deepStrictEqual(yield* Stream.runCollect(inner.list("")), [{ key: Keys.key(0), size: 10 }])
        assert.deepStrictEqual(yield* Stream.runCollect(store.list("")), [])
        assert.strictEqual((yield* Effect.flip(store.stat(Keys.key(0)))).reason, "NotFound")
        yield* store.remove(Keys.key(0))
        assert.deepStrictEqual(yield* inner.stat(Keys.key(0)), { size: 10 })
      })
    )

    it.effect("removes a blob together with its snapshots", () =>
      Effect.gen(function* () {
        const { client, store } = yield* open
        yield* store.put(Keys.key(0), Generate.stream(7, 10))
        yield* Effect.promise(() => client.getBlobClient(Keys.key(0)).createSnapshot())
        yield* store.remove(Keys.key(0))
        assert.strictEqual((yield* Effect.flip(store.stat(Keys.key(0)))).reason, "NotFound")
      })
    )

    it.effect("lists more than one page", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        const keys = Array.from({ length: 1005 }, (_, index) => Keys.key(index))
        yield* Effect.forEach(keys, (key) => store.put(key, Stream.empty), { concurrency: 32, discard: true })
        const listed = yield* Stream.runCollect(store.list(""))
        assert.deepStrictEqual(listed.map(({ key }) => key).toSorted(), keys.toSorted())
      })
    )

    it.effect("opens an account with a connection string, and a container with a shared access signature", () =>
      Effect.gen(function* () {
        const { options, store } = yield* open
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
          yield* another.put(Keys.key(index), Generate.stream(8, 9 * mebibyte))
          assert.deepStrictEqual(yield* store.stat(Keys.key(index)), { size: 9 * mebibyte })
          assert.strictEqual((yield* Stream.runCollect(another.list(""))).length, 1)
          yield* another.remove(Keys.key(index))
        }
      })
    )

    it.effect("tells a wrong configuration as such, and none of its secrets", () =>
      Effect.gen(function* () {
        const { options } = yield* open
        const { accountName, container, endpoint } = options
        const wrongKey = Buffer.from("another secret of the tests").toString("base64")
        const signature = "sv=2024-11-04&sr=c&sp=racwdl&se=2100-01-01T00%3A00%3A00Z&sig=wrongsignature%3D"
        const secrets = [wrongKey, "wrongsignature", Redacted.value(options.accountKey)]
        const wrong: ReadonlyArray<AzureOptions.Options> = [
          { ...options, container: "nobodys" },
          { ...options, accountKey: Redacted.make(wrongKey) },
          { accountName, container, endpoint, sas: Redacted.make(signature) }
        ]
        for (const options of wrong) {
          const store = yield* AzureBlobStore.make(options)
          const failures = yield* Effect.all([
            Effect.flip(store.put(Keys.key(0), Generate.stream(9, 10))),
            Effect.flip(store.put(Keys.key(0), Generate.stream(9, 9 * mebibyte))),
            Effect.flip(Stream.runDrain(store.read(Keys.key(0)))),
            Effect.flip(store.stat(Keys.key(0))),
            Effect.flip(store.remove(Keys.key(0))),
            Effect.flip(Stream.runDrain(store.list(""))),
            Effect.flip(store.check)
          ])
          assert.deepStrictEqual(
            failures.map(({ operation, reason }) => [operation, reason]),
            ["put", "put", "read", "stat", "remove", "list", "check"].map((operation) => [operation, "Internal"])
          )
          for (const error of failures) {
            const told = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }) + JSON.stringify(error)
            for (const secret of secrets) assert.notInclude(told, secret)
          }
        }
      })
    )

    it.effect("survives a cut of the line while a block is sent, since the SDK sends it again", () =>
      Effect.gen(function* () {
        const { blocks, options } = yield* open
        const { line, store } = yield* through(options, 10 * mebibyte)
        const content = Generate.bytes(10, 20 * mebibyte)
        yield* (yield* store()).put(Keys.key(0), Generate.stream(10, content.byteLength))
        assert.isTrue(line.wasCut())
        assert.isTrue((yield* read(yield* store(), Keys.key(0))).equals(content))
        assert.deepStrictEqual((yield* blocks(Keys.key(0))).committed, [8 * mebibyte, 8 * mebibyte, 4 * mebibyte])
      })
    )

    it.effect.each([5000, 10 * mebibyte])("shows nothing of a content whose line is cut after %i bytes", (after) =>
      Effect.gen(function* () {
        const { options, store } = yield* open
        const { line, store: connect } = yield* through(options, after)
        const broken = yield* connect({ maxAttempts: 1 })
        const error = yield* Effect.flip(broken.put(Keys.key(0), Generate.stream(11, 20 * mebibyte)))
        assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "put"])
        assert.isTrue(line.wasCut())
        assert.strictEqual((yield* Effect.flip(store.stat(Keys.key(0)))).reason, "NotFound")
        assert.deepStrictEqual(yield* Stream.runCollect(store.list("")), [])
      })
    )

    it.effect("fails a read whose line is cut, and does not begin it again", () =>
      Effect.gen(function* () {
        const { options, store } = yield* open
        const { line, store: connect } = yield* through(options)
        yield* store.put(Keys.key(0), Generate.stream(12, 40 * mebibyte))
        let count = 0
        const reading = (yield* connect()).read(Keys.key(0)).pipe(
          Stream.runForEach((chunk) => {
            const isFirst = count === 0
            count += chunk.byteLength
            return isFirst ? line.cut : Effect.void
          })
        )
        const error = yield* Effect.flip(reading)
        assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "read"])
        assert.isBelow(count, 40 * mebibyte)
      })
    )

    it.effect("fails a read that the server dies under, is unavailable while it is down, and no longer", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        const server = yield* Azurite.Azurite
        yield* store.put(Keys.key(0), Generate.stream(13, 10))
        yield* store.put(Keys.key(1), Generate.stream(14, 40 * mebibyte))
        let count = 0
        const cut = yield* store.read(Keys.key(1)).pipe(
          Stream.runForEach((chunk) => {
            const isFirst = count === 0
            count += chunk.byteLength
            return isFirst ? server.stop : Effect.void
          }),
          Effect.flip
        )
        assert.strictEqual(cut.reason, "Unavailable")
        assert.isBelow(count, 40 * mebibyte)
        const failures = yield* Effect.all(
          [
            Effect.flip(store.put(Keys.key(2), Generate.stream(15, 10))),
            Effect.flip(store.put(Keys.key(2), Generate.stream(15, 9 * mebibyte))),
            Effect.flip(Stream.runDrain(store.read(Keys.key(0)))),
            Effect.flip(store.stat(Keys.key(0))),
            Effect.flip(store.remove(Keys.key(0))),
            Effect.flip(Stream.runDrain(store.list(""))),
            Effect.flip(store.check)
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          failures.map(({ operation, reason }) => [operation, reason]),
          ["put", "put", "read", "stat", "remove", "list", "check"].map((operation) => [operation, "Unavailable"])
        )
        yield* server.start
        yield* store.check
        assert.deepStrictEqual(yield* store.stat(Keys.key(0)), { size: 10 })
        assert.deepStrictEqual((yield* Stream.runCollect(store.list(""))).length, 2)
      })
    )
  })
)
