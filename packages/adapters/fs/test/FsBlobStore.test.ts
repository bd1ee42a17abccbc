import { assert, describe, it } from "@effect/vitest"
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"
import * as Generate from "@holdfast/testing/data/Generate"
import * as BlobFaults from "@holdfast/testing/storage/BlobFaults"
import * as FaultyBlobStore from "@holdfast/testing/storage/FaultyBlobStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as FsBlobStore from "../src/FsBlobStore.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"
import * as TestStore from "./support/TestStore.ts"

describe("FsBlobStore", () => {
  it.live("put → documented layout, directories with mode 0700, files with mode 0600", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      yield* store.put(TestStore.key(0), Generate.stream(1, 10))
      const { tenantId, bucketId, blobId } = TestStore.parts(0)
      const shard = blobId.slice(-2)
      const path = `${directory}/blobs/${tenantId}/${bucketId}/${shard}/${blobId}`
      assert.strictEqual(store.localFile(TestStore.key(0)), path)
      assert.deepStrictEqual(TestStore.names(directory), ["blobs", "lock.sqlite", "tmp"])
      assert.deepStrictEqual(TestStore.names(`${directory}/tmp`), [])
      const mode = (path: string) => Fs.statSync(path).mode & 0o777
      for (const below of ["", "/tmp", "/blobs", `/blobs/${tenantId}`, `/blobs/${tenantId}/${bucketId}`]) {
        assert.strictEqual(mode(directory + below), 0o700, below)
      }
      assert.strictEqual(mode(`${directory}/blobs/${tenantId}/${bucketId}/${shard}`), 0o700)
      assert.strictEqual(mode(path), 0o600)
    })
  )

  it.live("put: some chunks transferable → these detached after the write, all others unchanged", () =>
    Effect.gen(function* () {
      const { store } = yield* TestStore.open
      const content = Generate.bytes(4, 8 * 1024 * 1024)
      const size = 64 * 1024
      const chunks = Array.from({ length: content.length / size }, (_, index) =>
        content.slice(index * size, (index + 1) * size)
      )
      const isGiven = (_: unknown, index: number) => index % 3 > 0
      chunks.filter(isGiven).forEach(TransferableChunks.markTransferable)
      const cut = chunks.map((chunk, index) => (index % 3 === 2 ? chunk.subarray(0) : chunk))
      yield* store.put(TestStore.key(5), Stream.fromIterable(cut).pipe(Stream.rechunk(7)))
      assert.deepStrictEqual(
        chunks.map(({ length }) => length),
        chunks.map((_, index) => (index % 3 === 1 ? 0 : size))
      )
      assert.isTrue(Buffer.concat(yield* Stream.runCollect(store.read(TestStore.key(5)))).equals(content))
    })
  )

  it.live("put: content of transferable chunks is cut or fails → the bytes before the fault, or no file", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      const faulty = FaultyBlobStore.make(store)
      const content = Generate.bytes(5, 4 * 1024 * 1024)
      const size = 64 * 1024
      const given = Stream.range(0, content.length / size - 1).pipe(
        Stream.map((index) => {
          const chunk = new Uint8Array(content.subarray(index * size, (index + 1) * size))
          TransferableChunks.markTransferable(chunk)
          return chunk
        }),
        Stream.rechunk(5)
      )
      const cut = 3_000_001
      yield* faulty.faults.inject({ method: "put", calls: (nth) => nth === 1, action: BlobFaults.cutAfter(cut) })
      yield* faulty.store.put(TestStore.key(6), given)
      const stored = Buffer.concat(yield* Stream.runCollect(store.read(TestStore.key(6))))
      assert.isTrue(stored.equals(content.subarray(0, cut)))
      yield* faulty.faults.inject({ method: "put", action: BlobFaults.failAfter(cut, "Unavailable") })
      assert.strictEqual((yield* Effect.flip(faulty.store.put(TestStore.key(7), given))).reason, "Unavailable")
      assert.deepStrictEqual(TestStore.names(`${directory}/tmp`), [])
    })
  )

  it.live("open: directory of an earlier store → its blobs", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const content = Generate.bytes(2, 700_000)
      const first = Effect.flatMap(FsBlobStore.make({ directory }), (store) =>
        store.put(TestStore.key(1), Stream.make(content))
      )
      yield* Effect.scoped(first)
      const store = yield* FsBlobStore.make({ directory })
      const chunks = yield* Stream.runCollect(store.read(TestStore.key(1)))
      assert.isTrue(Buffer.concat(chunks).equals(content))
    })
  )

  it.live.each([
    "",
    "x",
    "../../etc/passwd",
    `${TestStore.key(0)}/`,
    `/${TestStore.key(0)}`,
    `${TestStore.key(0)}/../x`,
    TestStore.key(0).toUpperCase(),
    `${TestStore.parts(0).tenantId}/${TestStore.parts(0).bucketId}/..`,
    `${TestStore.parts(0).tenantId}/${TestStore.parts(0).bucketId}/${TestStore.parts(0).bucketId}`,
    `${TestStore.parts(0).tenantId}/../${TestStore.parts(0).blobId}`,
    `${TestStore.key(0)}\0`,
    TestStore.key(0).replace("_", "/")
  ])("every method: %j, which is not a key → Internal, content not pulled", (text) =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      let pulled = false
      const content = Stream.fromEffect(Effect.sync(() => ((pulled = true), new Uint8Array(1))))
      const failures = yield* Effect.all([
        Effect.flip(store.put(text, content)),
        Effect.flip(Stream.runDrain(store.read(text))),
        Effect.flip(store.stat(text)),
        Effect.flip(store.remove(text))
      ])
      assert.deepStrictEqual(
        failures.map(({ operation, reason }) => [operation, reason]),
        ["put", "read", "stat", "remove"].map((operation) => [operation, "Internal"])
      )
      assert.isFalse(pulled)
      assert.isUndefined(store.localFile(text))
      assert.deepStrictEqual(TestStore.names(`${directory}/blobs`), [])
    })
  )

  it.live("open: files of unfinished uploads in tmp → removed, all other files stay", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      yield* Effect.scoped(
        Effect.flatMap(FsBlobStore.make({ directory }), (store) => store.put(TestStore.key(2), Generate.stream(3, 10)))
      )
      Fs.writeFileSync(`${directory}/tmp/${TestStore.parts(3).blobId}.0`, "half")
      Fs.mkdirSync(`${directory}/tmp/strange`)
      Fs.writeFileSync(`${directory}/tmp/strange/file`, "")
      Fs.writeFileSync(`${directory}/notes.txt`, "an operator's")
      const store = yield* FsBlobStore.make({ directory })
      assert.deepStrictEqual(TestStore.names(`${directory}/tmp`), [])
      assert.isTrue(Fs.existsSync(`${directory}/notes.txt`))
      assert.deepStrictEqual(yield* store.stat(TestStore.key(2)), { size: 10 })
    })
  )

  it.live("check: fewer bytes free than reserveBytes → StorageFull", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const store = yield* FsBlobStore.make({ directory, reserveBytes: 2 ** 60 })
      assert.strictEqual((yield* Effect.flip(store.check)).reason, "StorageFull")
    })
  )
})
