/**
 * Interrupted uploads and readers, and backpressure on an upload.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Requires from "@holdfast/testing/Requires"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as TestStore from "./support/TestStore.ts"

const itSeesDescriptors = Requires.requires(TestStore.missingForDescriptors)

/** Waits for one turn of the event loop. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

describe("FsBlobStore", () => {
  it.live("put: fast source → at most three batches ahead of the disk", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      const tmp = `${directory}/tmp`
      const chunkBytes = 64 * 1024
      let pulled = 0
      let ahead = 0
      const content = Generate.stream(8, 32 * 1024 * 1024, [chunkBytes]).pipe(
        Stream.map((chunk) => {
          const written = TestStore.names(tmp).reduce((sum, name) => sum + Fs.statSync(`${tmp}/${name}`).size, 0)
          ahead = Math.max(ahead, pulled - written)
          pulled += chunk.byteLength
          return chunk
        })
      )
      yield* store.put(TestStore.key(8), content)
      assert.isAtLeast(ahead, chunkBytes)
      assert.isAtMost(ahead, 3 * 256 * 1024)
    })
  )

  itSeesDescriptors.live("put: interrupted at any turn → no file in tmp, no open descriptor", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      let stored = 0
      for (let turns = 0; turns < 120; turns++) {
        const index = 1000 + turns
        const putting = yield* Effect.forkChild(store.put(TestStore.key(index), Generate.stream(index, 600_000)))
        for (let count = 0; count < turns; count++) yield* turn
        yield* Fiber.interrupt(putting)
        const put = yield* Fiber.await(putting)
        const stat = yield* Effect.exit(store.stat(TestStore.key(index)))
        assert.strictEqual(Exit.isSuccess(stat), Exit.isSuccess(put), `after ${turns} turns`)
        if (Exit.isSuccess(put)) stored++
        assert.deepStrictEqual(TestStore.names(`${directory}/tmp`), [])
        assert.deepStrictEqual(TestStore.descriptors(directory), [])
      }
      assert.strictEqual((yield* Stream.runCollect(store.list(""))).length, stored)
    })
  )

  it.live("put: interrupted after the rename → file exists exactly if the put succeeded", () =>
    Effect.gen(function* () {
      const { store } = yield* TestStore.open
      for (let index = 0; index < 50; index++) {
        const path = store.localFile(TestStore.key(index)) ?? ""
        const putting = yield* Effect.forkChild(store.put(TestStore.key(index), Generate.stream(index, 10_000)))
        // The file has its name, but the name is not durable yet: the put is not complete.
        while (!Fs.existsSync(path)) yield* turn
        putting.interruptUnsafe()
        const put = yield* Fiber.await(putting)
        assert.strictEqual(Fs.existsSync(path), Exit.isSuccess(put))
      }
    })
  )

  it.live("put: replacement interrupted at any turn → a whole blob stays", () =>
    Effect.gen(function* () {
      const { store } = yield* TestStore.open
      yield* store.put(TestStore.key(0), Generate.stream(0, 10_000))
      for (let turns = 0; turns < 60; turns++) {
        const putting = yield* Effect.forkChild(store.put(TestStore.key(0), Generate.stream(turns, 10_000)))
        for (let count = 0; count < turns; count++) yield* turn
        yield* Fiber.interrupt(putting)
        assert.deepStrictEqual(yield* store.stat(TestStore.key(0)), { size: 10_000 })
      }
    })
  )

  itSeesDescriptors.live("read and list: consumer stops early → descriptor closed", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      for (let index = 0; index < 20; index++) yield* store.put(TestStore.key(index), Generate.stream(9, 900_000))
      const reading = Effect.scoped(
        Effect.gen(function* () {
          const pull = yield* Stream.toPull(store.read(TestStore.key(0)))
          yield* pull
          assert.strictEqual(TestStore.descriptors(directory).length, 1)
        })
      )
      yield* reading
      yield* Stream.runDrain(Stream.take(store.list(""), 2))
      yield* Stream.runDrain(Stream.take(store.read(TestStore.key(1)), 1))
      assert.deepStrictEqual(TestStore.descriptors(directory), [])
    })
  )

  itSeesDescriptors.live("check: interrupted at any turn → no file in tmp, no open descriptor", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      for (let turns = 0; turns < 40; turns++) {
        // A failed read makes the next check sync a file.
        yield* Effect.exit(Stream.runDrain(store.read(TestStore.key(0))))
        const checking = yield* Effect.forkChild(store.check)
        for (let count = 0; count < turns; count++) yield* turn
        yield* Fiber.interrupt(checking)
        assert.deepStrictEqual(TestStore.names(`${directory}/tmp`), [])
        assert.deepStrictEqual(TestStore.descriptors(directory), [], `after ${turns} turns`)
      }
    })
  )
})
