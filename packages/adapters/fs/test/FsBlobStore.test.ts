import { assert, describe, it } from "@effect/vitest"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Requires from "@holdfast/testing/Requires"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as FsBlobStore from "../src/FsBlobStore.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

/** Where open descriptors can be counted. */
const itSeesDescriptors = Requires.requires(Fs.existsSync("/proc/self/fd") ? undefined : "there is no /proc/self/fd")

const parts = (index: number): BlobKey.Parts => ({
  tenantId: Generate.id("ten", 1, 0),
  bucketId: Generate.id("bkt", 1, 0),
  blobId: Generate.id("blb", 1, index)
})

const key = (index: number): string => BlobKey.make(parts(index))

const open = Effect.gen(function* () {
  const directory = `${yield* TemporaryDirectory.make}/data`
  const store = yield* FsBlobStore.make({ directory })
  return { directory, store }
})

/** One turn of the event loop. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

const exactly = (directory: string) => Fs.readdirSync(directory).toSorted()

/** Descriptors of this process that are open on something below the directory. */
const descriptors = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = Fs.readlinkSync(`/proc/self/fd/${descriptor}`)
      return path.startsWith(`${directory}/tmp/`) || path.startsWith(`${directory}/blobs/`) ? [path] : []
    } catch {
      // The descriptor of the listing itself.
      return []
    }
  })

describe("FsBlobStore", () => {
  it.live("lays out its directory, and keeps it to its user", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* open
      yield* store.put(key(0), Generate.stream(1, 10))
      const { tenantId, bucketId, blobId } = parts(0)
      const shard = blobId.slice(-2)
      const path = `${directory}/blobs/${tenantId}/${bucketId}/${shard}/${blobId}`
      assert.strictEqual(store.localFile(key(0)), path)
      assert.deepStrictEqual(exactly(directory), ["blobs", "lock.sqlite", "tmp"])
      assert.deepStrictEqual(exactly(`${directory}/tmp`), [])
      const mode = (path: string) => Fs.statSync(path).mode & 0o777
      for (const below of ["", "/tmp", "/blobs", `/blobs/${tenantId}`, `/blobs/${tenantId}/${bucketId}`]) {
        assert.strictEqual(mode(directory + below), 0o700, below)
      }
      assert.strictEqual(mode(`${directory}/blobs/${tenantId}/${bucketId}/${shard}`), 0o700)
      assert.strictEqual(mode(path), 0o600)
    })
  )

  it.live("finds everything again when it is opened anew", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const content = Generate.bytes(2, 700_000)
      const first = Effect.flatMap(FsBlobStore.make({ directory }), (store) => store.put(key(1), Stream.make(content)))
      yield* Effect.scoped(first)
      const store = yield* FsBlobStore.make({ directory })
      const chunks = yield* Stream.runCollect(store.read(key(1)))
      assert.isTrue(Buffer.concat(chunks).equals(content))
    })
  )

  it.live.each([
    "",
    "x",
    "../../etc/passwd",
    `${key(0)}/`,
    `/${key(0)}`,
    `${key(0)}/../x`,
    key(0).toUpperCase(),
    `${parts(0).tenantId}/${parts(0).bucketId}/..`,
    `${parts(0).tenantId}/${parts(0).bucketId}/${parts(0).bucketId}`,
    `${parts(0).tenantId}/../${parts(0).blobId}`,
    `${key(0)}\0`,
    key(0).replace("_", "/")
  ])("refuses %j, which is no key, in every method", (text) =>
    Effect.gen(function* () {
      const { directory, store } = yield* open
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
      assert.deepStrictEqual(exactly(`${directory}/blobs`), [])
    })
  )

  it.live("clears what dead uploads left, and nothing else", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      yield* Effect.scoped(
        Effect.flatMap(FsBlobStore.make({ directory }), (store) => store.put(key(2), Generate.stream(3, 10)))
      )
      Fs.writeFileSync(`${directory}/tmp/${parts(3).blobId}.0`, "half")
      Fs.mkdirSync(`${directory}/tmp/strange`)
      Fs.writeFileSync(`${directory}/tmp/strange/file`, "")
      Fs.writeFileSync(`${directory}/notes.txt`, "an operator's")
      const store = yield* FsBlobStore.make({ directory })
      assert.deepStrictEqual(exactly(`${directory}/tmp`), [])
      assert.isTrue(Fs.existsSync(`${directory}/notes.txt`))
      assert.deepStrictEqual(yield* store.stat(key(2)), { size: 10 })
    })
  )

  it.live("fails a read of a file that was cut, rather than ending short", () =>
    Effect.gen(function* () {
      const { store } = yield* open
      const size = 2_000_000
      yield* store.put(key(4), Generate.stream(4, size))
      const path = store.localFile(key(4)) ?? ""
      const cutMeanwhile = Stream.runForEach(store.read(key(4)), () =>
        Effect.sync(() => Fs.truncateSync(path, 300_000))
      )
      assert.strictEqual((yield* Effect.flip(cutMeanwhile)).reason, "Internal")
      let chunks = 0
      const range = Stream.runForEach(store.read(key(4), { offset: 0, length: size }), () =>
        Effect.sync(() => chunks++)
      )
      assert.strictEqual((yield* Effect.flip(range)).reason, "Internal")
      assert.strictEqual(chunks, 0)
    })
  )

  it.live("makes directories anew that somebody removed", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* open
      const { tenantId, bucketId } = parts(0)
      const places = ["", `/${tenantId}`, `/${tenantId}/${bucketId}`]
      for (const place of places) {
        yield* store.put(key(5), Generate.stream(5, 100))
        Fs.rmSync(`${directory}/blobs${place}`, { recursive: true })
        yield* store.put(key(5), Generate.stream(5, 200))
        assert.deepStrictEqual(yield* store.stat(key(5)), { size: 200 })
      }
    })
  )

  it.live("is unavailable, rather than empty, when its directories are gone", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* open
      Fs.renameSync(directory, `${directory}.away`)
      const failures = yield* Effect.all([
        Effect.flip(store.put(key(6), Generate.stream(6, 100))),
        Effect.flip(Stream.runDrain(store.list(""))),
        Effect.flip(Stream.runDrain(store.list(`${parts(0).tenantId}/`))),
        Effect.flip(store.check)
      ])
      assert.deepStrictEqual(
        failures.map(({ operation, reason }) => [operation, reason]),
        ["put", "list", "list", "check"].map((operation) => [operation, "Unavailable"])
      )
    })
  )

  it.live("lists blobs alone, whatever else lies around", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* open
      yield* store.put(key(7), Generate.stream(7, 100))
      const { tenantId, bucketId, blobId } = parts(7)
      const bucket = `${directory}/blobs/${tenantId}/${bucketId}`
      const shard = blobId.slice(-2)
      const other = shard === "00" ? "01" : "00"
      Fs.mkdirSync(`${directory}/blobs/lost+found`)
      Fs.writeFileSync(`${directory}/blobs/${Generate.id("ten", 9, 9)}.txt`, "")
      Fs.writeFileSync(`${bucket}/README`, "")
      Fs.mkdirSync(`${bucket}/${other}`)
      Fs.writeFileSync(`${bucket}/${other}/${blobId}`, "not in its shard")
      Fs.writeFileSync(`${bucket}/${shard}/.${blobId}.swp`, "")
      const stray = `${Generate.id("blb", 9, 9).slice(0, -2)}${shard}`
      Fs.mkdirSync(`${bucket}/${shard}/${stray}`)
      Fs.symlinkSync("/etc/passwd", `${bucket}/${shard}/${Generate.id("blb", 9, 8).slice(0, -2)}${shard}`)
      assert.deepStrictEqual(yield* Stream.runCollect(store.list("")), [{ key: key(7), size: 100 }])
    })
  )

  it.live("pulls a content no faster than it writes it", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* open
      const tmp = `${directory}/tmp`
      const chunkBytes = 64 * 1024
      let pulled = 0
      let ahead = 0
      const content = Generate.stream(8, 32 * 1024 * 1024, [chunkBytes]).pipe(
        Stream.map((chunk) => {
          const written = exactly(tmp).reduce((sum, name) => sum + Fs.statSync(`${tmp}/${name}`).size, 0)
          ahead = Math.max(ahead, pulled - written)
          pulled += chunk.byteLength
          return chunk
        })
      )
      yield* store.put(key(8), content)
      assert.isAtLeast(ahead, chunkBytes)
      assert.isAtMost(ahead, 3 * 256 * 1024)
    })
  )

  itSeesDescriptors.live("leaves nothing, not a descriptor, wherever a put is interrupted", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* open
      let stood = 0
      for (let turns = 0; turns < 120; turns++) {
        const index = 1000 + turns
        const putting = yield* Effect.forkChild(store.put(key(index), Generate.stream(index, 600_000)))
        for (let count = 0; count < turns; count++) yield* turn
        yield* Fiber.interrupt(putting)
        const put = yield* Fiber.await(putting)
        const stat = yield* Effect.exit(store.stat(key(index)))
        assert.strictEqual(Exit.isSuccess(stat), Exit.isSuccess(put), `after ${turns} turns`)
        if (Exit.isSuccess(put)) stood++
        assert.deepStrictEqual(exactly(`${directory}/tmp`), [])
        assert.deepStrictEqual(descriptors(directory), [])
      }
      assert.strictEqual((yield* Stream.runCollect(store.list(""))).length, stood)
    })
  )

  it.live("stands or fails as its put says, when that is interrupted at the last moment", () =>
    Effect.gen(function* () {
      const { store } = yield* open
      for (let index = 0; index < 50; index++) {
        const path = store.localFile(key(index)) ?? ""
        const putting = yield* Effect.forkChild(store.put(key(index), Generate.stream(index, 10_000)))
        // It has its name, and the name is not yet durable: the put is not done.
        while (!Fs.existsSync(path)) yield* turn
        putting.interruptUnsafe()
        const put = yield* Fiber.await(putting)
        assert.strictEqual(Fs.existsSync(path), Exit.isSuccess(put))
      }
    })
  )

  it.live("keeps the blob it has when its replacement is interrupted", () =>
    Effect.gen(function* () {
      const { store } = yield* open
      yield* store.put(key(0), Generate.stream(0, 10_000))
      for (let turns = 0; turns < 60; turns++) {
        const putting = yield* Effect.forkChild(store.put(key(0), Generate.stream(turns, 10_000)))
        for (let count = 0; count < turns; count++) yield* turn
        yield* Fiber.interrupt(putting)
        assert.deepStrictEqual(yield* store.stat(key(0)), { size: 10_000 })
      }
    })
  )

  itSeesDescriptors.live("closes what readers and listings leave off", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* open
      for (let index = 0; index < 20; index++) yield* store.put(key(index), Generate.stream(9, 900_000))
      const reading = Effect.scoped(
        Effect.gen(function* () {
          const pull = yield* Stream.toPull(store.read(key(0)))
          yield* pull
          assert.strictEqual(descriptors(directory).length, 1)
        })
      )
      yield* reading
      yield* Stream.runDrain(Stream.take(store.list(""), 2))
      yield* Stream.runDrain(Stream.take(store.read(key(1)), 1))
      assert.deepStrictEqual(descriptors(directory), [])
    })
  )

  it.live("says that it is full before it is", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.make
      const store = yield* FsBlobStore.make({ directory, reserveBytes: 2 ** 60 })
      assert.strictEqual((yield* Effect.flip(store.check)).reason, "StorageFull")
    })
  )
})
