/**
 * Lists the files and folders of a folder. A page contains first the folders, then the files, at most `limit` of both
 * together. So a folder with a million subfolders is listed in pages like one with a million files. A page of a list with a
 * filter may be short, because each request reads a bounded number of files, and so may a page of files with large metadata.
 */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { InvalidCursor, InvalidRequest } from "../Errors.ts"
import { FolderPath } from "../access/FolderPath.ts"
import * as Input from "../Input.ts"
import type { MetadataError } from "../MetadataError.ts"
import * as Page from "../Page.ts"
import { atMost } from "../Text.ts"
import * as File from "./File.ts"
import { type FileListRequest, type FileQuery, FileRepository, type FileSlice } from "./FileRepository.ts"
import { FileType } from "./FileType.ts"
import * as KeyedLock from "../storage/KeyedLock.ts"

/** The parameters of a list, besides the page. */
export const Query = Schema.Struct({
  path: Schema.optional(FolderPath).annotate({ description: "The folder; `/` when absent." }),
  recursive: Schema.optional(Schema.Boolean).annotate({
    description: "Whether to list the files of the folders below, too."
  }),
  name: Schema.optional(
    Schema.String.check(
      Schema.makeFilter(
        (text: string) =>
          text.isWellFormed() && !text.includes("\0") && text.length <= 255
            ? undefined
            : "must be the beginning of a file name",
        atMost(255)
      )
    )
  ).annotate({ description: "Lists only files whose names begin with this text." }),
  state: Schema.optional(File.FileState),
  type: Schema.optional(FileType)
})

/** Which files to list. */
export interface Request extends Page.Request {
  /** The folder. Default: `/`, the root of the bucket. */
  readonly path?: string | undefined
  /** Whether to list the files of all folders below, too. Default: false. */
  readonly recursive?: boolean | undefined
  /** Lists only files whose names begin with this text. */
  readonly name?: string | undefined
  /** Lists only files in this state. */
  readonly state?: File.FileState | undefined
  /** Lists only files of this kind. */
  readonly type?: FileType | undefined
  /** Optional parts of the records. */
  readonly expands?: ReadonlyArray<File.Expand> | undefined
}

/** What a list contains besides. */
export type Options = Pick<FileListRequest, "withMarkers">

/** One page. Only the first pages contain folders, since all folders come before the files. */
export const FilePage = Schema.Struct({
  items: Schema.Array(File.File),
  folders: Schema.Array(Schema.String).annotate({ description: "The folders directly below the path, as full paths." }),
  nextCursor: Schema.NullOr(Schema.String).annotate({
    description:
      "An opaque text for the next request; null on the last page only. With a filter a page may have fewer items than `limit`, or none, although more follow: each request reads a bounded number of files."
  })
}).annotate({ identifier: "FilePage" })
export type FilePage = typeof FilePage.Type

const decodeQuery = Input.decoder(Query)

/** Decodes the query of a list. */
export const decode = (request: Request): Effect.Effect<FileQuery, InvalidRequest> =>
  Effect.map(decodeQuery(request), ({ name, path = "/", recursive = false, state, type }) => ({
    path,
    recursive,
    name: name?.normalize("NFC"),
    state,
    type
  }))

/** A query, or the way to the only folder that the caller may read: the list then contains at most the next folder on this way. */
export type ConfinedQuery = FileQuery & { readonly wayTo?: string }

/** Confines a query to a folder, if one is given. The caller has checked that one of the two folders contains the other. */
export const within = (query: FileQuery, folder: string | undefined): ConfinedQuery => {
  if (folder === undefined || query.path.startsWith(folder)) return query
  return query.recursive ? { ...query, path: folder } : { ...query, wayTo: folder }
}

/** The position before the next page: a folder or a file. */
const Cursor = Schema.Union([
  Schema.Struct({ folder: Schema.String }),
  Schema.Struct({ path: Schema.String, name: Schema.NullOr(Schema.String) })
])

/** A list without filters contains folders; a filter applies to files only. */
const showsFolders = (query: FileQuery): boolean =>
  !query.recursive && query.name === undefined && query.state === undefined && query.type === undefined

/**
 * How many files the first step of a page reads, and each further one. One step is enough for a page of the default size, and
 * files with large metadata are not all read before the bound is reached. To convert the rows of a step takes some 2 ms, in which
 * no other request gets a turn.
 */
const firstStep = 100
const furtherStep = 300

/** Returns the size of those parts of a record that may be large, in characters of JSON. */
const sizeOf = ({ headers, metadata }: File.StoredFile): number => {
  let size = Record.isEmptyReadonlyRecord(metadata) ? 0 : JSON.stringify(metadata).length
  for (const { name, value } of headers) size += name.length + value.length
  return size
}

/** Reads the files of a page until it has `limit` files or `Page.maxBytes`. */
const readPage = Effect.fnUntraced(function* (
  repository: FileRepository["Service"],
  { after, bucket, limit, query, withMarkers }: FileListRequest
): Effect.fn.Return<FileSlice, MetadataError> {
  const files: Array<File.StoredFile> = []
  let next = after ?? null
  let size = 0
  for (let step = firstStep; files.length < limit; step = furtherStep) {
    const wanted = Math.min(step, limit - files.length)
    const slice = yield* repository.list({ bucket, query, withMarkers, after: next ?? undefined, limit: wanted })
    for (const stored of slice.files) {
      size += sizeOf(stored)
      const last = files.at(-1)
      if (last !== undefined && size > Page.maxBytes) return { files, next: { path: last.path, name: last.name } }
      files.push(stored)
    }
    next = slice.next
    if (next === null || slice.files.length < wanted) break
  }
  return { files, next }
})

/** Whether a list begins with a file, which may come after the marker of a folder. */
const hasFiles = (repository: FileRepository["Service"], request: Omit<FileListRequest, "limit">) =>
  Effect.map(repository.list({ ...request, limit: 1 }), ({ files, next }) => files.length > 0 || next !== null)

/** Lists the next folder on the way to another one, if that one contains a file or has a marker. */
const listWay = Effect.fnUntraced(function* (
  repository: FileRepository["Service"],
  bucket: BucketRef,
  query: FileQuery,
  folder: string
): Effect.fn.Return<FilePage, MetadataError> {
  const isShown =
    showsFolders(query) &&
    (yield* hasFiles(repository, { bucket, query: { path: folder, recursive: true }, withMarkers: true }))
  const next = folder.slice(0, folder.indexOf("/", query.path.length) + 1)
  return { items: [], folders: isShown ? [next] : [], nextCursor: null }
})

/** Makes the function that lists a bucket's files. */
export const make = Effect.gen(function* () {
  const repository = yield* FileRepository
  const decodeCursor = Page.cursorDecoder(Cursor)
  // The steps of 64 large pages would alternate, with the rows of all of them in memory at once. Other requests then waited for up
  // to 150 ms.
  const oneByOne = KeyedLock.make()

  return Effect.fnUntraced(function* (
    bucket: BucketRef,
    request: Request,
    { wayTo, ...query }: ConfinedQuery,
    { withMarkers }: Options = {}
  ): Effect.fn.Return<FilePage, InvalidRequest | InvalidCursor | MetadataError> {
    if (wayTo !== undefined) return yield* listWay(repository, bucket, query, wayTo)
    const { path } = query
    const limit = yield* Page.parseLimit(request)
    const cursor = yield* decodeCursor(request)
    const isAfterFile = cursor !== undefined && "name" in cursor

    const folders =
      showsFolders(query) && !isAfterFile
        ? yield* repository.listFolders({ bucket, path, after: cursor?.folder, limit: limit + 1 })
        : []
    if (folders.length > limit) {
      const shown = folders.slice(0, limit)
      return { items: [], folders: shown, nextCursor: Page.encodeCursor({ folder: shown.at(-1) }) }
    }

    const remaining = limit - folders.length
    const after = isAfterFile ? cursor : undefined
    if (remaining === 0) {
      const hasMore = yield* hasFiles(repository, { bucket, query, after })
      return { items: [], folders, nextCursor: hasMore ? Page.encodeCursor({ folder: folders.at(-1) }) : null }
    }
    const page = readPage(repository, { bucket, query, withMarkers, after, limit: remaining })
    const { files, next } = yield* remaining > firstStep ? oneByOne(bucket.tenantId)(page) : page
    return {
      items: files.map((stored) => File.fromStored(stored, request.expands)),
      folders,
      nextCursor: next === null ? null : Page.encodeCursor({ path: next.path, name: next.name })
    }
  })
})
