/**
 * The contract of `FileRepository.listKeys`.
 */
import { expect } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import {
  FileRepository,
  type FileQuery,
  type FileSlice,
  type KeyListRequest,
  type Position
} from "@holdfast/core/files/FileRepository"
import * as Effect from "effect/Effect"
import { byBytes } from "./FileLists.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

type Query = Omit<Partial<KeyListRequest>, "bucket">

const slice = (bucket: BucketRef, query: Query = {}) =>
  Effect.flatMap(FileRepository, (files) => files.listKeys({ bucket, prefix: "", limit: 1000, ...query }))

/** Returns the entries of a page in their order. */
const entries = (bucket: BucketRef, query: Query = {}) =>
  Effect.map(slice(bucket, query), ({ contents, prefixes }) =>
    [...contents.map(({ key }) => key), ...prefixes].toSorted(byBytes)
  )

const placeOf = (key: string) => {
  const end = key.lastIndexOf("/") + 1
  return { path: `/${key.slice(0, end)}`, name: key.slice(end) }
}

/** Creates a bucket with a content for each of these keys. */
const bucketWith = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
  const bucket = yield* Fixtures.bucket()
  yield* Effect.forEach(keys, (key) => Fixtures.store(bucket, placeOf(key)), { concurrency: 8 })
  return bucket
})

/** Computes the entries of a list independently of the adapters. */
const expected = (keys: ReadonlyArray<string>, { after, delimiter, folder = "/", prefix = "" }: Query) => {
  const shown = keys
    .filter((key) => key.startsWith(prefix) && `/${key}`.startsWith(folder))
    .map((key) => {
      const end = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length)
      return end < 0 ? key : key.slice(0, end + (delimiter ?? "").length)
    })
  return [...new Set(shown)].toSorted(byBytes).filter((entry) => after === undefined || byBytes(entry, after) > 0)
}

const keys = [
  "a a! a-b a.b a/ a/1 a/2 a/b/ a/b/c a/b/d a0 ab/1 b b/x/y/z 😀/é 😀 😀/é!/x x+y x%y/z \uff5e z/\uff5e z/\u{10ffff} z/\u{10ffff}/1".split(
    " "
  ),
  "x y",
  Array.from({ length: 12 }, (_, index) => `deep/${index % 3}/${index}`)
].flat()

export const keyContract = (it: It): void => {
  it.effect("list, listFolders: marker of a folder → the folder, no file; count: within the limit", () =>
    Effect.gen(function* () {
      const bucket = yield* bucketWith(["a/", "a/b/", "a/b/c", "a/d", "e/"])
      const files = yield* FileRepository
      const list = Effect.fnUntraced(function* (query: FileQuery, limit: number) {
        const found: Array<string> = []
        let after: Position | undefined
        do {
          const page: FileSlice = yield* files.list({ bucket, query, limit, after })
          found.push(...page.files.map(({ name, path }) => `${path}${name}`))
          after = page.next ?? undefined
        } while (after !== undefined)
        return found
      })
      for (const limit of [1, 2, 10]) {
        for (const more of [{}, { state: "READY" } as const, { type: "TEXT" } as const]) {
          expect(yield* list({ path: "/", recursive: true, ...more }, limit)).toEqual(["/a/d", "/a/b/c"])
          expect(yield* list({ path: "/a/", recursive: false, ...more }, limit)).toEqual(["/a/d"])
          expect(yield* list({ path: "/e/", recursive: false, ...more }, limit)).toEqual([])
        }
      }
      expect(yield* files.listFolders({ bucket, path: "/", limit: 10 })).toEqual(["/a/", "/e/"])
      // A list of these folders visits the markers, too.
      expect(yield* files.count({ bucket, path: "/", limit: 10 })).toBe(5)
      expect(yield* files.count({ bucket, path: "/", limit: 2 })).toBe(2)
    })
  )

  it.effect("listKeys: files in folders → one order by the code points of the whole keys", () =>
    Effect.gen(function* () {
      const bucket = yield* bucketWith(keys)
      const { contents, next } = yield* slice(bucket)
      expect(contents.map(({ key }) => key)).toEqual(keys.toSorted(byBytes))
      expect(next).toBeNull()
    })
  )

  it.effect("listKeys: prefix, delimiter, folder and position → as computed from all keys, in pages of any size", () =>
    Effect.gen(function* () {
      const bucket = yield* bucketWith(keys)
      const queries = [
        "",
        "a",
        "a/",
        "a/b",
        "deep/",
        "deep/1/1",
        "z/",
        "z/\u{10ffff}",
        "😀",
        "none",
        "\u{10ffff}"
      ].flatMap((prefix) =>
        [undefined, "/", "b", "/1", "é"].flatMap((delimiter) =>
          [undefined, "/deep/", "/a/b/"].map((folder): Query => ({ prefix, delimiter, folder }))
        )
      )
      for (const query of queries) {
        const all = expected(keys, query)
        expect(yield* entries(bucket, query), JSON.stringify(query)).toEqual(all)
        for (const limit of [1, 3]) {
          const found: Array<string> = []
          let after: string | null | undefined
          while (after !== null) {
            const page: Query = { ...query, after, limit }
            found.push(...(yield* entries(bucket, page)))
            after = (yield* slice(bucket, page)).next
          }
          expect(found, JSON.stringify({ ...query, limit })).toEqual(all)
        }
      }
      for (const after of ["a", "a/", "a/1", "a/b/c", "deep/1", "deep/1/x", "zz", "", "\0", "a\0", "\ud800"]) {
        for (const delimiter of [undefined, "/"]) {
          const query = { delimiter, after: after.startsWith("\ud800") ? "\ufffd" : after.replace(/\0.*/u, "") }
          const page = yield* entries(bucket, { ...query, after })
          expect(page, JSON.stringify({ ...query, after })).toEqual(expected(keys, query))
        }
      }
    })
  )

  it.effect("listKeys: pages of prefixes between keys → every entry once, with its content's size, tag and time", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 60 }, (_, index) =>
        index % 2 === 0 ? [`p/${index}`] : [`p/${index}/a`, `p/${index}/b`, `p/${index}/c`]
      ).flat()
      const bucket = yield* bucketWith(many)
      const query = { prefix: "p/", delimiter: "/" }
      expect(yield* entries(bucket, query)).toEqual(expected(many, query))
      expect(yield* entries(bucket, { ...query, limit: 7 })).toEqual(expected(many, query).slice(0, 7))

      const file = yield* Fixtures.store(bucket, placeOf("q"))
      const { etag, size, storedAt } = file.content
      expect((yield* slice(bucket, { prefix: "q" })).contents).toEqual([{ key: "q", etag, size, storedAt }])
    })
  )

  it.effect("listKeys: files without content → not listed, nor the folders that have only such files", () =>
    Effect.gen(function* () {
      const bucket = yield* bucketWith(["a", "b/1"])
      yield* Fixtures.reserve(bucket, { path: "/", name: "aa" })
      yield* Fixtures.reserve(bucket, { path: "/c/", name: "1" })
      expect(yield* entries(bucket)).toEqual(["a", "b/1"])
      expect(yield* entries(bucket, { delimiter: "/" })).toEqual(["a", "b/"])
    })
  )

  it.effect("listKeys: another bucket or tenant → its keys are not listed", () =>
    Effect.gen(function* () {
      const bucket = yield* bucketWith(["a", "b/c"])
      const beside = yield* Fixtures.bucket(bucket.tenantId)
      expect(yield* entries(beside)).toEqual([])
      expect(yield* entries({ ...bucket, tenantId: Sample.id("ten") }, { delimiter: "/" })).toEqual([])
    })
  )
}
