import { assert, describe, it } from "@effect/vitest"
import type { StreamFileRef, StreamLookup } from "@holdfast/core/conversions/ConversionRepository"
import * as LookupCache from "../src/internal/conversions/LookupCache.ts"

const refOf = (name: string, id = "fil_1"): StreamFileRef => ({
  bucket: { tenantId: "ten_1", bucketId: "bkt_1" },
  selector: { _tag: "Id", id },
  format: "hls",
  name
})

const segment: StreamLookup = {
  fileId: "fil_1",
  blobId: "blb_1",
  conversion: { id: "cnv_1", state: "READY", fault: null },
  found: { _tag: "Segment", blobId: "blb_2", size: 1, sha256: "", damaged: false }
}

const makeCache = () => {
  const state = { version: 1 }
  return { cache: LookupCache.make(() => state.version), state }
}

describe("LookupCache", () => {
  it("segment kept → found by its own reference alone", () => {
    const { cache } = makeCache()
    cache.keeper(refOf("index0.ts"))(segment)
    assert.strictEqual(cache.find(refOf("index0.ts")), segment)
    const others: ReadonlyArray<StreamFileRef> = [
      refOf("index1.ts"),
      refOf("index0.ts", "fil_2"),
      { ...refOf("index0.ts"), format: "dash" },
      { ...refOf("index0.ts"), bucket: { tenantId: "ten_1", bucketId: "bkt_2" } },
      { ...refOf("index0.ts"), bucket: { tenantId: "ten_2", bucketId: "bkt_1" } },
      { ...refOf("index0.ts"), selector: { _tag: "Alias", alias: "fil_1" } },
      { ...refOf("index0.ts"), selector: { _tag: "Id", id: "fil_1", folder: "/a/" } }
    ]
    for (const other of others) assert.isUndefined(cache.find(other))
  })

  it("segment of a packaged rendition kept → the others of that rendition are found, too", () => {
    const { cache } = makeCache()
    const index = { blobId: "blb_2", size: 1, sha256: "" }
    const packaged: StreamLookup = {
      ...segment,
      found: { _tag: "Packaged", index, damaged: false, contentDamaged: false }
    }
    const refIn = (name: string): StreamFileRef => ({ ...refOf(name), format: "dash" })
    cache.keeper(refIn("chunk-0-1.m4s"))(packaged)
    for (const name of ["chunk-0-1.m4s", "chunk-0-2.m4s", "init-0.m4s"]) {
      assert.strictEqual(cache.find(refIn(name)), packaged)
    }
    for (const name of ["chunk-1-1.m4s", "240p/chunk1.m4s", "manifest.mpd", "poster.jpg"]) {
      assert.isUndefined(cache.find(refIn(name)))
    }
    // A stored segment has a row of its own.
    cache.keeper(refIn("chunk-1-1.m4s"))(segment)
    assert.strictEqual(cache.find(refIn("chunk-1-1.m4s")), segment)
    assert.isUndefined(cache.find(refIn("chunk-1-2.m4s")))
  })

  it("segment of HLS of a lower rendition found as an index → kept alone: others of the rendition may be stored", () => {
    const { cache } = makeCache()
    const index = { blobId: "blb_2", size: 1, sha256: "" }
    const packaged: StreamLookup = {
      ...segment,
      found: { _tag: "Packaged", index, damaged: false, contentDamaged: false }
    }
    cache.keeper(refOf("240p/index3.ts"))(packaged)
    assert.strictEqual(cache.find(refOf("240p/index3.ts")), packaged)
    for (const name of ["240p/index0.ts", "index0.ts"]) assert.isUndefined(cache.find(refOf(name)))
    cache.keeper(refOf("240p/index0.ts"))(segment)
    assert.strictEqual(cache.find(refOf("240p/index0.ts")), segment)
  })

  it("playlist, nothing found, running conversion → not kept", () => {
    const { cache } = makeCache()
    const running = { id: "cnv_1", state: "RUNNING", fault: null } as const
    for (const found of [
      { ...segment, found: { _tag: "Playlist", text: "" } },
      { ...segment, found: { _tag: "None" } },
      { ...segment, conversion: null },
      { ...segment, conversion: running }
    ] as const) {
      cache.keeper(refOf("a"))(found)
      assert.isUndefined(cache.find(refOf("a")))
    }
  })

  it("change of the database → nothing is found; what was read before it is not kept", () => {
    const { cache, state } = makeCache()
    cache.keeper(refOf("index0.ts"))(segment)
    const keep = cache.keeper(refOf("index1.ts"))
    state.version++
    assert.isUndefined(cache.find(refOf("index0.ts")))
    keep(segment)
    assert.isUndefined(cache.find(refOf("index1.ts")))
  })

  it("10,000 lookups → the last ones are found, and some thousands at most", () => {
    const { cache } = makeCache()
    const names = Array.from({ length: 10_000 }, (_, number) => `index${number}.ts`)
    for (const name of names) cache.keeper(refOf(name))(segment)
    const found = names.filter((name) => cache.find(refOf(name)) !== undefined)
    assert.strictEqual(found.at(-1), names.at(-1))
    assert.isAtMost(found.length, 4096)
  })
})
