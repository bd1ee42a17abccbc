/**
 * Checks a data directory after a program that put blobs, however the program ended.
 */
import { assert } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as FsBlobStore from "../../src/FsBlobStore.ts"

/** Asserts that every stored blob is whole and that every acknowledged blob is stored. */
export const assertConsistent = (directory: string, stdout: string) =>
  Effect.gen(function* () {
    const store = yield* FsBlobStore.make({ directory })
    assert.deepStrictEqual(Fs.readdirSync(`${directory}/tmp`), [])
    const entries = yield* Stream.runCollect(store.list(""))
    for (const { key, size } of entries) {
      const chunks = yield* Stream.runCollect(store.read(key))
      assert.strictEqual(Generate.sha256(Buffer.concat(chunks)), Generate.sha256(Generate.bytes(size, size)))
    }
    const stored = new Set(entries.map(({ key }) => key))
    const lines = stdout.split("\n").map((line) => line.split(" "))
    const acknowledged = lines.flatMap(([verb, , key]) => (verb === "acknowledged" && key !== undefined ? [key] : []))
    for (const key of acknowledged) assert.isTrue(stored.has(key), key)
    // At most one blob that was not acknowledged: the one in progress when the process died.
    assert.isAtMost(stored.size - acknowledged.length, 1)
    return { stored, acknowledged, failed: lines.filter(([verb]) => verb === "failed") }
  })
