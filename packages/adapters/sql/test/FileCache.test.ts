import { assert, describe, it } from "@effect/vitest"
import * as FileCache from "../src/internal/files/FileCache.ts"

const bucket = { tenantId: "ten_1", bucketId: "bkt_1" }

const rowOf = (name: string) => ({ name, path: "/", alias: null, metadata: "{}", headers: "[]" })

/** Keeps rows of these names, and returns the cache. */
const makeCache = (maxBytes: number, names: ReadonlyArray<string>) => {
  const state = { version: 1 }
  const cache = FileCache.make(() => state.version, maxBytes)
  for (const name of names) cache.keeper(bucket, name)(rowOf(name))
  return { cache, state }
}

describe("FileCache", () => {
  it("10,000 rows in 10 MiB → all are found", () => {
    const names = Array.from({ length: 10_000 }, (_, number) => `file-${number}.txt`)
    const { cache } = makeCache(10 * 1024 * 1024, names)
    assert.deepStrictEqual(
      names.filter((name) => cache.find(bucket, name) === undefined),
      []
    )
  })

  it("rows that exceed the bytes → long names count, the cache begins anew with the last row", () => {
    const short = Array.from({ length: 10 }, (_, number) => `${number}`)
    assert.isDefined(makeCache(10_000, short).cache.find(bucket, "0"))
    const long = short.map((name) => name.repeat(200))
    const { cache } = makeCache(10_000, long)
    const found = long.map((name) => cache.find(bucket, name) !== undefined)
    assert.deepStrictEqual(found, [...Array.from({ length: 8 }, () => false), true, true])
  })

  it("row that several requests keep → counts once", () => {
    const { cache } = makeCache(4000, ["a", "b", "b", "b", "b", "b"])
    assert.isDefined(cache.find(bucket, "a"))
  })

  it("change of the database → nothing is found, a row that was read before it is not kept, all bytes are free", () => {
    const { cache, state } = makeCache(2500, ["a", "b", "c"])
    const keep = cache.keeper(bucket, "d")
    state.version++
    keep(rowOf("d"))
    assert.isUndefined(cache.find(bucket, "a"))
    keep(rowOf("d"))
    assert.isUndefined(cache.find(bucket, "d"))
    for (const name of ["a", "b", "c"]) cache.keeper(bucket, name)(rowOf(name))
    for (const name of ["a", "b", "c"]) assert.isDefined(cache.find(bucket, name))
  })

  it("change while the first row is read → the row is not kept", () => {
    const { cache, state } = makeCache(2500, [])
    const keep = cache.keeper(bucket, "a")
    state.version++
    assert.isUndefined(cache.find(bucket, "a"))
    keep(rowOf("a"))
    assert.isUndefined(cache.find(bucket, "a"))
  })

  it("other bucket or tenant → not found", () => {
    const { cache } = makeCache(10_000, ["a"])
    assert.isUndefined(cache.find({ ...bucket, bucketId: "bkt_2" }, "a"))
    assert.isUndefined(cache.find({ ...bucket, tenantId: "ten_2" }, "a"))
  })
})
