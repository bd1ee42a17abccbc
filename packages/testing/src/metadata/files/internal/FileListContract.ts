/**
 * The contract of `FileRepository.list`.
 */
import { expect } from "@effect/vitest"
import { type FileQuery, FileRepository, type Position } from "@holdfast/core/files/FileRepository"
import * as Effect from "effect/Effect"
import { all, byBytes, inOrder, inFolder, list, pages, reserveAll } from "./FileLists.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

/** Texts whose order by code point differs from their order by UTF-16 code unit and from that of any language. */
const texts = [
  "Z",
  "a",
  "é",
  "e\u0323",
  "z",
  "~",
  "-",
  " x",
  "_",
  "10",
  "9",
  "\uff5e",
  "\ufffd",
  "😀",
  "\u{10ffff}",
  "\ud7ff",
  "\ue000"
]

export const fileListContract = (it: It): void => {
  it.effect("list: names of many scripts → ordered by path, then by name, by code point", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const positions = texts.flatMap((name) => [
        { path: "/", name },
        { path: `/${name}/`, name: "x" },
        { path: "/dir/", name }
      ])
      const made = yield* reserveAll(bucket, positions)
      expect(yield* list(bucket, all)).toEqual(inOrder(made))
      expect(yield* list(bucket, inFolder("/"))).toEqual(inOrder(made.filter(({ path }) => path === "/")))
      expect(yield* list(bucket, inFolder("/dir/"))).toEqual(inOrder(made.filter(({ path }) => path === "/dir/")))
      expect(yield* pages(bucket, all, 7)).toEqual(inOrder(made))
      expect(yield* pages(bucket, inFolder("/dir/"), 3)).toEqual(inOrder(made.filter(({ path }) => path === "/dir/")))
    })
  )

  it.effect("count: folders with names of many scripts → the files below, at most as many as the limit", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      yield* reserveAll(
        bucket,
        ["/", "/a/", "/a/", "/a/x/", "/a/x/y/", "/a!/", "/a\u{10ffff}/", "/b/"].map((path, index) => ({
          path,
          name: `${index}`
        }))
      )
      const count = (path: string, limit = 1000) =>
        Effect.flatMap(FileRepository, (files) => files.count({ bucket, path, limit }))
      const counts = yield* Effect.forEach(["/", "/a/", "/a/x/", "/a/x/y/", "/b/", "/none/"], (path) => count(path))
      expect(counts).toEqual([8, 4, 2, 1, 1, 0])
      expect(yield* count("/a/", 3)).toBe(3)
      const other = yield* Fixtures.bucket()
      const stranger = { tenantId: other.tenantId, bucketId: bucket.bucketId }
      expect(
        yield* Effect.flatMap(FileRepository, (files) => files.count({ bucket: stranger, path: "/", limit: 9 }))
      ).toBe(0)
    })
  )

  it.effect("list: 1,200 files in pages → every file once", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const positions = Array.from({ length: 1200 }, (_, index) => ({
        path: `/${index % 3}/`,
        name: `${index * 7919}`
      }))
      const made = yield* reserveAll(bucket, positions)
      expect(yield* pages(bucket, all, 97)).toEqual(inOrder(made))
      expect(yield* pages(bucket, inFolder("/1/"), 50)).toEqual(inOrder(made.filter(({ path }) => path === "/1/")))
      expect(yield* pages(bucket, { ...all, path: "/2/" }, 100)).toEqual(
        inOrder(made.filter(({ path }) => path === "/2/"))
      )
    })
  )

  it.effect("list: folder → its files; recursive → also the files below", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const paths = ["/", "/a/", "/a/b/", "/a/b/c/", "/a!/", "/a0/", "/ab/", "/A/", "/b/a/"]
      yield* reserveAll(
        bucket,
        paths.map((path) => ({ path, name: "x" }))
      )
      const found = (query: FileQuery) => Effect.map(list(bucket, query), (files) => files.map(({ path }) => path))
      expect(yield* found(inFolder("/a/"))).toEqual(["/a/"])
      expect(yield* found({ path: "/a/", recursive: true })).toEqual(["/a/", "/a/b/", "/a/b/c/"])
      expect(yield* found(inFolder("/none/"))).toEqual([])
      expect(yield* found(all)).toEqual(paths.toSorted(byBytes))
    })
  )

  it.effect("list: another bucket or tenant → its files are not listed", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      yield* Fixtures.store(bucket)
      yield* Fixtures.store(yield* Fixtures.bucket(bucket.tenantId))
      expect(yield* list(bucket, all)).toHaveLength(1)
      const foreign = yield* Fixtures.tenant
      expect(yield* list({ ...bucket, tenantId: foreign }, all)).toEqual([])
      expect(yield* list({ ...bucket, bucketId: Sample.id("bkt") }, all)).toEqual([])
    })
  )

  it.effect("list: position that no file can have → the files after it", () =>
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const path = "/😀/"
      const [first, second] = yield* reserveAll(bucket, [
        { path, name: "a" },
        { path, name: "b" }
      ])
      for (const recursive of [true, false]) {
        const after = (position: Position, name?: string) => list(bucket, { path, recursive, name }, position)
        expect(yield* after({ path: "/\uff5e/", name: "z" })).toEqual([first, second])
        expect(yield* after({ path: "", name: "" })).toEqual([first, second])
        expect(yield* after({ path, name: "a\0" })).toEqual([second])
        expect(yield* after({ path, name: "A" }, "b")).toEqual([second])
        expect(yield* after({ path: "/\u{1f601}/", name: "a" })).toEqual([])
        expect(yield* after({ path: "\ud800", name: "\udfff" })).toEqual([])
      }
    })
  )
}
