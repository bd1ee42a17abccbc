/**
 * Lists files for the contract tests, and orders the expected results.
 */
import { expect } from "@effect/vitest"
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

/** Returns one page of a list, and where the list continues. */
export const slice = (bucket: BucketRef, query: FileQuery, after?: Position, limit = 1000) =>
  Effect.flatMap(FileRepository, (files) => files.list({ bucket, query, after, limit }))

/** Returns the files of one page. */
export const list = (bucket: BucketRef, query: FileQuery, after?: Position, limit = 1000) =>
  Effect.map(slice(bucket, query, after, limit), ({ files }) => files)

/** Creates a file without content at each of these positions. */
export const reserveAll = (bucket: BucketRef, positions: ReadonlyArray<Pick<StoredFile, "path" | "name">>) =>
  Effect.forEach(positions, (position) => Fixtures.reserve(bucket, position), { concurrency: 8 })

/** Returns all pages of a list together. */
export const pages = Effect.fnUntraced(function* (bucket: BucketRef, query: FileQuery, limit: number) {
  const found: Array<StoredFile> = []
  let after: Position | null | undefined
  while (after !== null) {
    const page = yield* slice(bucket, query, after, limit)
    expect(page.files.length).toBeLessThanOrEqual(limit)
    found.push(...page.files)
    after = page.next
  }
  return found
})
