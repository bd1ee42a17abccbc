/**
 * Lists files for the contract tests, and orders the expected results.
 */
import type { StoredFile } from "@holdfast/core/files/File"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { type FileQuery, FileRepository, type Position } from "@holdfast/core/files/FileRepository"
import * as Effect from "effect/Effect"
import * as Fixtures from "../../Fixtures.ts"

const encoder = new TextEncoder()

/** Compares texts by their UTF-8 bytes: the order that the port guarantees, computed independently of the adapters. */
export const byBytes = (a: string, b: string): number => Buffer.compare(encoder.encode(a), encoder.encode(b))

/** Sorts files in the order of a list. */
export const inOrder = (files: ReadonlyArray<StoredFile>): ReadonlyArray<StoredFile> =>
  files.toSorted((a, b) => byBytes(a.path, b.path) || byBytes(a.name, b.name))

/** Selects every file of a bucket. */
export const all: FileQuery = { path: "/", recursive: true }
/** Selects the files of one folder. */
export const inFolder = (path: string): FileQuery => ({ path, recursive: false })

/** Returns one page of a list. */
export const list = (bucket: BucketRef, query: FileQuery, after?: Position, limit = 1000) =>
  Effect.flatMap(FileRepository, (files) => files.list({ bucket, query, after, limit }))

/** Creates a file without content at each of these positions. */
export const reserveAll = (bucket: BucketRef, positions: ReadonlyArray<Position>) =>
  Effect.forEach(positions, (position) => Fixtures.reserve(bucket, position), { concurrency: 8 })

/** Returns all pages of a list together. */
export const pages = Effect.fnUntraced(function* (bucket: BucketRef, query: FileQuery, limit: number) {
  const found: Array<StoredFile> = []
  let page: ReadonlyArray<StoredFile>
  do {
    page = yield* list(bucket, query, found.at(-1), limit)
    found.push(...page)
  } while (page.length === limit)
  return found
})
