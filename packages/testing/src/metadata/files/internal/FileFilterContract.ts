/**
 * The contract of the filters of `FileRepository.list`.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { all, inOrder, inFolder, list, pages, reserveAll } from "./FileLists.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

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
