/**
 * The contract of the filters of `FileRepository.list`.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { all, inOrder, inFolder, list, pages, reserveAll, slice } from "./FileLists.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const none = { files: [], next: null }

export const fileFilterContract = (it: It): void => {
  it.effect("list: name prefix of any script → exactly the names with this prefix, over all pages", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const prefixes = ["a", "A", "%", "_", "a%", "\\", "é", "😀", "\u{10ffff}", "\ud7ff", "a\u{10ffff}"]
      const names = prefixes.flatMap((prefix) => [prefix, `${prefix}b`, `${prefix}\u{10ffff}`, `${prefix}😀x`])
      const positions = [...new Set([...names, "b", "\ue000", "￿", "z"])].flatMap((name) => [
        { path: "/", name },
        { path: "/p/", name }
      ])
      const made = inOrder(yield* reserveAll(bucket, positions))
      for (const name of prefixes) {
        const kept = made.filter((file) => file.name.startsWith(name))
        expect(yield* list(bucket, { ...all, name })).toEqual(kept)
        expect(yield* pages(bucket, { ...all, name }, 3)).toEqual(kept)
        expect(yield* pages(bucket, { ...inFolder("/p/"), name }, 2)).toEqual(kept.filter(({ path }) => path === "/p/"))
      }
    })
  )

  it.effect("list: recursive name prefix in few of 1,200 folders → all matches; some pages are short", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const folder = (index: number) => `/${String(index).padStart(4, "0")}/`
      const paths = Array.from({ length: 1200 }, (_, index) => folder(index))
      yield* reserveAll(
        bucket,
        paths.map((path) => ({ path, name: "other" }))
      )
      const wanted = ["a", "b", "c"].flatMap((end) =>
        [0, 1, 1100, 1199].map((index) => ({ path: folder(index), name: `found ${end}` }))
      )
      const matches = inOrder(yield* reserveAll(bucket, [...wanted, { path: "/", name: "found" }]))
      for (const limit of [1, 2, 3, 5, 100]) {
        expect(yield* pages(bucket, { ...all, name: "found" }, limit)).toEqual(matches)
        expect(yield* pages(bucket, { ...all, name: "found", state: "RESERVED" }, limit)).toEqual(matches)
        expect(yield* pages(bucket, { ...all, name: "found", state: "READY" }, limit)).toEqual([])
      }
      expect(yield* slice(bucket, { ...all, name: "none" })).toMatchObject({ files: [], next: { name: null } })
      expect(yield* pages(bucket, { ...all, name: "none" }, 100)).toEqual([])
      expect(yield* pages(bucket, { ...all, name: "found", type: "TEXT" }, 100)).toEqual([])
      const beyond = { path: "/1/", name: "x" }
      expect(yield* slice(bucket, { path: "/0/", recursive: true, name: "found" }, beyond)).toEqual(none)
    })
  )

  it.effect("list: READY files among 2,500 RESERVED ones → all of them; some pages are short", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const positions = Array.from({ length: 2500 }, (_, index) => ({ path: "/", name: String(10_000 + index) }))
      yield* reserveAll(bucket, positions)
      const ready = yield* Effect.forEach(["10000a", "10001a", "12400a"], (name) => Fixtures.store(bucket, { name }))
      for (const recursive of [true, false]) {
        const query = { path: "/", recursive, state: "READY" as const }
        for (const limit of [1, 2, 3, 100]) expect(yield* pages(bucket, query, limit)).toEqual(ready)
        const first = yield* slice(bucket, query, undefined, 100)
        expect(first.files).toEqual(ready.slice(0, 2))
        expect(first.next).not.toBeNull()
        expect(yield* pages(bucket, { ...query, name: "1240" }, 2)).toEqual(ready.slice(2))
      }
    })
  )

  it.effect("list: state and type filters → matching files only, over all pages", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const reserved = yield* reserveAll(
        bucket,
        ["a", "c", "e"].map((name) => ({ path: "/", name }))
      )
      const texts = yield* Effect.forEach(["b", "d"], (name) => Fixtures.store(bucket, { name }))
      const content = { ...Sample.content(yield* Fixtures.stage(bucket)), type: "IMAGE" as const }
      const image = yield* Fixtures.reserve(bucket, { name: "f", version: 1, content })
      expect(yield* pages(bucket, { ...all, state: "RESERVED" }, 2)).toEqual(reserved)
      expect(yield* pages(bucket, { ...inFolder("/"), state: "READY" }, 2)).toEqual([...texts, image])
      expect(yield* pages(bucket, { ...all, type: "TEXT" }, 1)).toEqual(texts)
      expect(yield* list(bucket, { ...all, type: "IMAGE", state: "READY" })).toEqual([image])
      expect(yield* list(bucket, { ...all, type: "IMAGE", state: "RESERVED" })).toEqual([])
    })
  )
}
