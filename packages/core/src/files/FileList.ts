/**
 * Lists of files. One page holds the folders of a level first, then its files, at most `limit` of both together, so
 * that a folder with a million subfolders is paged like one with a million files.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { InvalidCursor, InvalidRequest } from "../Errors.ts"
import * as Input from "../Input.ts"
import type { MetadataError } from "../MetadataError.ts"
import * as Page from "../Page.ts"
import * as File from "./File.ts"
import { FolderPath } from "./FileName.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { type FileQuery, FileRepository } from "./FileRepository.ts"
import { FileType } from "./FileType.ts"

/** What a caller may ask of a list, besides the page. */
export const Query = Schema.Struct({
  path: Schema.optional(FolderPath).annotate({ description: "The folder; `/` when absent." }),
  recursive: Schema.optional(Schema.Boolean).annotate({ description: "Also what lies in the folders below." }),
  name: Schema.optional(
    Schema.String.check(
      Schema.makeFilter((text: string) =>
        text.isWellFormed() && !text.includes("\0") && text.length <= 255
          ? undefined
          : "must be the start of a file name"
      )
    )
  ).annotate({ description: "Only files whose names begin with this." }),
  state: Schema.optional(File.FileState),
  type: Schema.optional(FileType)
})

export interface Request extends Page.Request {
  readonly path?: string | undefined
  readonly recursive?: boolean | undefined
  readonly name?: string | undefined
  readonly state?: File.FileState | undefined
  readonly type?: FileType | undefined
  readonly expands?: ReadonlyArray<File.Expand> | undefined
}

/** One page: folders come only on the first pages, before the files. */
export const FilePage = Schema.Struct({
  items: Schema.Array(File.File),
  folders: Schema.Array(Schema.String).annotate({ description: "The folders at this level, as full paths." }),
  nextCursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "FilePage" })
export type FilePage = typeof FilePage.Type

const decodeQuery = Input.decoder(Query)

/** Where the next page begins: after a folder, or after a file (of the list's start: before all files). */
const Cursor = Schema.Union([
  Schema.Struct({ folder: Schema.String }),
  Schema.Struct({ path: Schema.String, name: Schema.String })
])

/** Only a plain listing shows folders: a filter asks for files. */
const showsFolders = (query: FileQuery): boolean =>
  !query.recursive && query.name === undefined && query.state === undefined && query.type === undefined

/** The lister over the file repository. */
export const make = Effect.gen(function* () {
  const repository = yield* FileRepository
  const decodeCursor = Page.decodeCursor(Cursor)

  return Effect.fnUntraced(function* (
    bucket: BucketRef,
    request: Request
  ): Effect.fn.Return<FilePage, InvalidRequest | InvalidCursor | MetadataError> {
    const { name, path = "/", recursive = false, state, type } = yield* decodeQuery(request)
    const query: FileQuery = { path, recursive, name: name?.normalize("NFC"), state, type }
    const limit = yield* Page.limitOf(request)
    const cursor = yield* decodeCursor(request)
    const isAmongFiles = cursor !== undefined && "name" in cursor

    const folders =
      showsFolders(query) && !isAmongFiles ? yield* repository.listFolders(bucket, path, cursor?.folder, limit + 1) : []
    if (folders.length > limit) {
      const shown = folders.slice(0, limit)
      return { items: [], folders: shown, nextCursor: Page.encodeCursor({ folder: shown.at(-1) }) }
    }

    const room = limit - folders.length
    const rows = yield* repository.list(bucket, query, isAmongFiles ? cursor : undefined, room + 1)
    const shown = rows.slice(0, room)
    const last = shown.at(-1)
    return {
      items: shown.map((stored) => File.fromStored(stored, request.expands)),
      folders,
      nextCursor:
        rows.length <= room
          ? null
          : last === undefined
            ? Page.encodeCursor({ folder: folders.at(-1) })
            : Page.encodeCursor({ path: last.path, name: last.name })
    }
  })
})
