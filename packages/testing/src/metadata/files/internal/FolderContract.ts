/**
 * The contract of `FileRepository.listFolders`.
 */
import { expect } from "@effect/vitest"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Effect from "effect/Effect"
import { byBytes } from "./FileLists.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const folders = (bucket: BucketRef, path: string, after?: string, limit = 1000) =>
  Effect.flatMap(FileRepository, (files) => files.listFolders({ bucket, path, after, limit }))

/** Creates a bucket with a file in each of these folders. */
const bucketWith = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
  const bucket = yield* Fixtures.bucket()
  yield* Effect.forEach(paths, (path) => Fixtures.reserve(bucket, { path }), { concurrency: 8 })
  return bucket
})

export const folderContract = (it: It): void => {
  it.effect("listFolders: files at several depths → each folder directly below the path, once", () =>
    Effect.gen(function* () {
      const bucket = yield* bucketWith(["/", "/a/", "/a/", "/a/x/", "/a/x/y/", "/b/c/d/", "/b/c/e/", "/b/f/"])
      expect(yield* folders(bucket, "/")).toEqual(["/a/", "/b/"])
      expect(yield* folders(bucket, "/a/")).toEqual(["/a/x/"])
      expect(yield* folders(bucket, "/b/")).toEqual(["/b/c/", "/b/f/"])
      expect(yield* folders(bucket, "/b/c/")).toEqual(["/b/c/d/", "/b/c/e/"])
      expect(yield* folders(bucket, "/a/x/y/")).toEqual([])
      expect(yield* folders(bucket, "/none/")).toEqual([])
    })
  )

  it.effect("listFolders: names of many scripts → ordered by code point of the whole path", () =>
    Effect.gen(function* () {
      const names = ["a", "a!", "a b", "a-", "a.", "a0", "ab", "A", "é", "~", "\uff5e", "😀", "😀a", "\u{10ffff}"]
      for (const parent of ["/", "/p/", "/😀/é/", "/😀😀😀/"]) {
        const expected = names.map((name) => `${parent}${name}/`).toSorted(byBytes)
        const below = expected.flatMap((path, index) => (index % 2 === 0 ? [path] : [`${path}deep/er/`, `${path}d/`]))
        const beside = ["/0/", "/p!/", "/p0/", "/😀/", "/😀/é!/", "/😀0/"]
        const bucket = yield* bucketWith([...below, parent, ...(parent === "/" ? [] : beside)])
        expect(yield* folders(bucket, parent)).toEqual(expected)
        for (const [index, after] of expected.entries()) {
          expect(yield* folders(bucket, parent, after, 2)).toEqual(expected.slice(index + 1, index + 3))
        }
      }
    })
  )

  it.effect("listFolders: 300 folders in pages → every folder once", () =>
    Effect.gen(function* () {
      const expected = Array.from({ length: 300 }, (_, index) => `/p/${index * 7919}/`).toSorted(byBytes)
      const bucket = yield* bucketWith(expected)
      const found: Array<string> = []
      let page: ReadonlyArray<string>
      do {
        page = yield* folders(bucket, "/p/", found.at(-1), 37)
        found.push(...page)
      } while (page.length === 37)
      expect(found).toEqual(expected)
    })
  )

  it.effect("listFolders: position that is not a folder → the folders after it", () =>
    Effect.gen(function* () {
      const bucket = yield* bucketWith(["/p/a/", "/p/b/", "/q/c/"])
      expect(yield* folders(bucket, "/p/", "/p/a!/")).toEqual(["/p/a/", "/p/b/"])
      expect(yield* folders(bucket, "/p/", "")).toEqual(["/p/a/", "/p/b/"])
      expect(yield* folders(bucket, "/p/", "/a/")).toEqual(["/p/a/", "/p/b/"])
      expect(yield* folders(bucket, "/p/", "/q/")).toEqual([])
      expect(yield* folders(bucket, "/p/", "\0\ud800")).toEqual(["/p/a/", "/p/b/"])
      expect(yield* folders(bucket, "/p/", "/p/a!\0")).toEqual(["/p/a/", "/p/b/"])
      expect(yield* folders(bucket, "/p/", "/p/a/\0")).toEqual(["/p/b/"])
    })
  )

  it.effect("listFolders: another bucket or tenant → its folders are not listed", () =>
    Effect.gen(function* () {
      const bucket = yield* bucketWith(["/a/"])
      const beside = yield* Fixtures.bucket(bucket.tenantId)
      expect(yield* folders(beside, "/")).toEqual([])
      expect(yield* folders({ ...bucket, tenantId: Sample.id("ten") }, "/")).toEqual([])
    })
  )
}
