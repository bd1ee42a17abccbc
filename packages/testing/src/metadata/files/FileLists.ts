/**
 * Lists of files, and the order that they promise.
 */
import type { StoredFile } from "@holdfast/core/files/File"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { type FileQuery, FileRepository, type Position } from "@holdfast/core/files/FileRepository"
import * as Effect from "effect/Effect"
import * as Fixtures from "../Fixtures.ts"

const encoder = new TextEncoder()

/** The order that the port promises, told independently: by UTF-8 bytes. */
export const byBytes = (a: string, b: string): number => Buffer.compare(encoder.encode(a), encoder.encode(b))

/** Files as a list has them. */
export const inOrder = (files: ReadonlyArray<StoredFile>): ReadonlyArray<StoredFile> =>
  files.toSorted((a, b) => byBytes(a.path, b.path) || byBytes(a.name, b.name))

/** Every file of a bucket. */
export const all: FileQuery = { path: "/", recursive: true }
/** The files of one folder. */
export const inFolder = (path: string): FileQuery => ({ path, recursive: false })

/** One page of a list. */
export const list = (bucket: BucketRef, query: FileQuery, after?: Position, limit = 1000) =>
  Effect.flatMap(FileRepository, (files) => files.list({ bucket, query, after, limit }))

/** A file without content in each of these places. */
export const reserveAll = (bucket: BucketRef, places: ReadonlyArray<Position>) =>
  Effect.forEach(places, (place) => Fixtures.reserve(bucket, place), { concurrency: 8 })

/** Every page of a list, put together. */
export const pages = Effect.fnUntraced(function* (bucket: BucketRef, query: FileQuery, limit: number) {
  const found: Array<StoredFile> = []
  let page: ReadonlyArray<StoredFile>
  do {
    page = yield* list(bucket, query, found.at(-1), limit)
    found.push(...page)
  } while (page.length === limit)
  return found
})
