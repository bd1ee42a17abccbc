/**
 * The store on a file system that is full or read-only.
 */
import { assert, describe } from "@effect/vitest"
import type { BlobError } from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Requires from "@holdfast/testing/Requires"
import * as Generate from "@holdfast/testing/data/Generate"
import { ConversionWorkspace } from "@holdfast/core/conversions/worker/ConversionWorkspace"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as FsBlobStore from "../src/FsBlobStore.ts"
import * as FsConversionWorkspace from "../src/FsConversionWorkspace.ts"
import * as TemporaryDirectory from "./support/TemporaryDirectory.ts"

const it = Requires.requires(TemporaryDirectory.missingForFileSystem)

const mebibyte = 1024 * 1024

const key = (index: number): string =>
  BlobKey.make({
    tenantId: Generate.id("ten", 4, 0),
    bucketId: Generate.id("bkt", 4, 0),
    blobId: Generate.id("blb", 4, index)
  })

const usedBytes = (directory: string): number => {
  const { bfree, blocks, bsize } = Fs.statfsSync(directory)
  return (blocks - bfree) * bsize
}

const freeBytes = (directory: string): number => {
  const { bavail, bsize } = Fs.statfsSync(directory)
  return bavail * bsize
}

/** The index of a key that no other put has. */
let freeIndex = 100

describe("FsBlobStore on a small file system", () => {
  it.live("put: disk full → StorageFull, its space freed; smaller blob → stored", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.makeFileSystem("size=8m")
      const store = yield* FsBlobStore.make({ directory, reserveBytes: 0 })
      yield* store.put(key(0), Generate.stream(0, 3 * mebibyte))
      const used = usedBytes(directory)
      const puts = Effect.forEach([1, 2, 3], (index) =>
        Effect.flip(store.put(key(index), Generate.stream(1, 16 * mebibyte)))
      )
      for (const error of yield* puts) {
        assert.deepStrictEqual([error.reason, error.operation, error.isRetryable], ["StorageFull", "put", false])
      }
      assert.deepStrictEqual(Fs.readdirSync(`${directory}/tmp`), [])
      assert.isAtMost(usedBytes(directory) - used, 64 * 1024)
      yield* store.put(key(4), Generate.stream(4, 4 * mebibyte - 5))
      assert.deepStrictEqual((yield* Stream.runCollect(store.list(""))).map(({ size }) => size).toSorted(), [
        3 * mebibyte,
        4 * mebibyte - 5
      ])
    })
  )

  it.live("put: no inodes left → StorageFull, existing blobs unchanged", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.makeFileSystem("size=8m,nr_inodes=64")
      const store = yield* FsBlobStore.make({ directory })
      const outcomes: Array<Result.Result<unknown, BlobError>> = []
      for (let index = 0; index < 64; index++) {
        outcomes.push(yield* Effect.result(store.put(key(index), Generate.stream(index, 100 + index))))
      }
      const failures = outcomes.flatMap((outcome) => (Result.isFailure(outcome) ? [outcome.failure.reason] : []))
      assert.isAbove(failures.length, 1)
      assert.isTrue(failures.every((reason) => reason === "StorageFull"))
      for (const [index, outcome] of outcomes.entries()) {
        const chunks = yield* Effect.result(Stream.runCollect(store.read(key(index))))
        assert.strictEqual(Result.isSuccess(chunks), Result.isSuccess(outcome))
        if (Result.isSuccess(chunks)) {
          assert.isTrue(Buffer.concat(chunks.success).equals(Generate.bytes(index, 100 + index)))
        }
      }
    })
  )

  it.live("put: 8 uploads at once, only the reserve left → StorageFull, the reserve stays free", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.makeFileSystem("size=64m")
      const store = yield* FsBlobStore.make({ directory, reserveBytes: 16 * mebibyte })
      const results = yield* Effect.forEach(
        Array.from({ length: 8 }).keys(),
        (index) => Effect.result(store.put(key(index), Generate.stream(index, 10 * mebibyte))),
        { concurrency: "unbounded" }
      )
      const failures = results.flatMap((result) => (Result.isFailure(result) ? [result.failure.reason] : []))
      assert.isAbove(failures.length, 3)
      assert.isTrue(failures.every((reason) => reason === "StorageFull"))
      // Stores until even the smallest content is refused. Each upload may overlap the reserve by one chunk.
      yield* Effect.flip(Effect.forever(Effect.suspend(() => store.put(key(freeIndex++), Generate.stream(1, 100_000)))))
      assert.isAtLeast(freeBytes(directory), 15 * mebibyte)
      assert.isAtMost(freeBytes(directory), 17 * mebibyte)
      yield* Effect.flip(store.put(key(freeIndex++), Generate.stream(1, 200_000)))
      // Other programs may use the reserve; the store accepts nothing until it is free again.
      Fs.writeFileSync(`${directory}/other`, new Uint8Array(8 * mebibyte))
      assert.strictEqual(
        (yield* Effect.flip(store.put(key(freeIndex++), Generate.stream(1, 200_000)))).reason,
        "StorageFull"
      )
      Fs.rmSync(`${directory}/other`)
      yield* store.remove(key(100))
      yield* store.put(key(100), Generate.stream(1, 50_000))
    })
  )

  it.live(
    "workspace: only the reserve left → make and addFile fail with StorageFull, and so does a running watch",
    () =>
      Effect.gen(function* () {
        const directory = yield* TemporaryDirectory.makeFileSystem("size=32m")
        const layer = FsConversionWorkspace.layer({ directory: `${directory}/work`, reserveBytes: 8 * mebibyte })
        const services = yield* Layer.build(Layer.fresh(layer))
        const { make } = yield* Effect.provideContext(ConversionWorkspace, services)
        const workspace = yield* make
        const watch = yield* Effect.forkScoped(Effect.flip(workspace.watch))
        const content = Generate.stream(1, 30 * mebibyte)
        const error = yield* Effect.flip(workspace.addFile({ path: workspace.input, localFile: undefined, content }))
        assert.deepInclude(error, { reason: "StorageFull", operation: "addFile" })
        assert.isAtLeast(freeBytes(directory), 7 * mebibyte)
        // As ffmpeg does, which writes its output itself.
        Fs.writeFileSync(`${workspace.output}/index0.ts`, new Uint8Array(4 * mebibyte))
        assert.deepInclude(yield* Fiber.join(watch), { reason: "StorageFull", operation: "watch" })
        assert.deepInclude(yield* Effect.flip(make), { reason: "StorageFull", operation: "make" })
      })
  )

  it.live("check: only the reserve left → StorageFull; space freed → success", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.makeFileSystem("size=8m")
      const store = yield* FsBlobStore.make({ directory, reserveBytes: 3 * mebibyte })
      yield* store.check
      Fs.writeFileSync(`${directory}/other`, new Uint8Array(6 * mebibyte))
      const error = yield* Effect.flip(store.check)
      assert.deepStrictEqual([error.reason, error.operation], ["StorageFull", "check"])
      Fs.rmSync(`${directory}/other`)
      yield* store.check
    })
  )

  it.live("put and check: disk read-only → Unavailable; stat → success", () =>
    Effect.gen(function* () {
      const directory = yield* TemporaryDirectory.makeFileSystem("size=8m")
      const store = yield* FsBlobStore.make({ directory, reserveBytes: mebibyte })
      yield* store.put(key(0), Generate.stream(0, 1000))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* TemporaryDirectory.readOnly(`${directory}/tmp`)
          const put = yield* Effect.flip(store.put(key(1), Generate.stream(1, 1000)))
          const check = yield* Effect.flip(store.check)
          assert.deepStrictEqual([put.reason, check.reason], ["Unavailable", "Unavailable"])
          assert.deepStrictEqual(yield* store.stat(key(0)), { size: 1000 })
        })
      )
      yield* store.put(key(1), Generate.stream(1, 1000))
      yield* store.check
    })
  )
})
