/**
 * The store when another program has changed the data directory.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as TestStore from "./support/TestStore.ts"

describe("FsBlobStore in a changed directory", () => {
  it.live("read: file truncated → fails with Damaged, never ends early", () =>
    Effect.gen(function* () {
      const { store } = yield* TestStore.open
      const size = 2_000_000
      yield* store.put(TestStore.key(4), Generate.stream(4, size))
      const path = store.localFile(TestStore.key(4)) ?? ""
      const truncatedMeanwhile = Stream.runForEach(store.read(TestStore.key(4)), () =>
        Effect.sync(() => Fs.truncateSync(path, 300_000))
      )
      assert.strictEqual((yield* Effect.flip(truncatedMeanwhile)).reason, "Damaged")
      let chunks = 0
      const range = Stream.runForEach(store.read(TestStore.key(4), { range: { offset: 0, length: size } }), () =>
        Effect.sync(() => chunks++)
      )
      assert.strictEqual((yield* Effect.flip(range)).reason, "Damaged")
      assert.strictEqual(chunks, 0)
    })
  )

  it.live("put: directory removed since the last put → created again", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      const { tenantId, bucketId } = TestStore.parts(0)
      const directories = ["", `/${tenantId}`, `/${tenantId}/${bucketId}`]
      for (const below of directories) {
        yield* store.put(TestStore.key(5), Generate.stream(5, 100))
        Fs.rmSync(`${directory}/blobs${below}`, { recursive: true })
        yield* store.put(TestStore.key(5), Generate.stream(5, 200))
        assert.deepStrictEqual(yield* store.stat(TestStore.key(5)), { size: 200 })
      }
    })
  )

  it.live("put, list and check: data directory moved away → Unavailable", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      Fs.renameSync(directory, `${directory}.away`)
      const failures = yield* Effect.all([
        Effect.flip(store.put(TestStore.key(6), Generate.stream(6, 100))),
        Effect.flip(Stream.runDrain(store.list(""))),
        Effect.flip(Stream.runDrain(store.list(`${TestStore.parts(0).tenantId}/`))),
        Effect.flip(store.check)
      ])
      assert.deepStrictEqual(
        failures.map(({ operation, reason }) => [operation, reason]),
        ["put", "list", "list", "check"].map((operation) => [operation, "Unavailable"])
      )
    })
  )

  it.live("list: other files in the directories → blobs only", () =>
    Effect.gen(function* () {
      const { directory, store } = yield* TestStore.open
      yield* store.put(TestStore.key(7), Generate.stream(7, 100))
      const { tenantId, bucketId, blobId } = TestStore.parts(7)
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
      assert.deepStrictEqual(yield* Stream.runCollect(store.list("")), [{ key: TestStore.key(7), size: 100 }])
    })
  )
})
