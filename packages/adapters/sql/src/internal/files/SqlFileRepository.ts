/**
 * The FileRepository in SQL.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Selector } from "@holdfast/core/files/FileRef"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Reads from "../../Reads.ts"
import * as KeyedLock from "@holdfast/core/storage/KeyedLock"
import * as PreparedText from "../PreparedText.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { removeFile, updateFile, updateHeaders, updateMetadata } from "./ChangeFile.ts"
import * as FileCache from "./FileCache.ts"
import { columns, bySelector, toFile } from "./FileRow.ts"
import { insertFile } from "./InsertFile.ts"
import { countFiles, isPageRead, listFiles } from "./ListFiles.ts"
import { listFolders } from "./ListFolders.ts"
import { listKeys } from "./ListKeys.ts"
import { moveFiles } from "./MoveFiles.ts"
import { removeFiles } from "./RemoveFiles.ts"
import { replaceContent } from "./ReplaceContent.ts"

const select = (sql: SqlClient, bucket: BucketRef, selector: Selector) =>
  sql`SELECT ${sql.literal(columns)} FROM file WHERE ${bySelector(sql, bucket, selector)}`

const byId = PreparedText.define(["tenantId", "bucketId", "id"], (sql, { id, ...bucket }) =>
  select(sql, bucket, { _tag: "Id", id })
)
const byAlias = PreparedText.define(["tenantId", "bucketId", "alias"], (sql, { alias, ...bucket }) =>
  select(sql, bucket, { _tag: "Alias", alias })
)
const byPlace = PreparedText.define(["tenantId", "bucketId", "path", "name"], (sql, { name, path, ...bucket }) =>
  select(sql, bucket, { _tag: "Place", place: { path, name } })
)

/** Returns the statement that finds a file. */
const find = (sql: SqlClient, { bucketId, tenantId }: BucketRef, selector: Selector) => {
  if (selector.folder !== undefined || selector.at !== undefined) return select(sql, { tenantId, bucketId }, selector)
  switch (selector._tag) {
    case "Id":
      return byId.statement(sql, { tenantId, bucketId, id: selector.id })
    case "Alias":
      return byAlias.statement(sql, { tenantId, bucketId, alias: selector.alias })
    case "Place":
      return byPlace.statement(sql, { tenantId, bucketId, ...selector.place })
  }
}

/** Some 14,000 files without metadata. */
const maxKeptBytes = 10 * 1024 * 1024

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const version = yield* Reads.ReadVersion
  const cache = version && FileCache.make(version, maxKeptBytes)
  const read = yield* Reads.make(sql)
  const readPage = yield* Reads.makePages(sql)
  // Uploads of one file would wait for each other in the database, each with a connection. With 64 of them PostgreSQL spent 5 to 7
  // ms on each, with 16 some 2 ms: whenever a lock is released, it decides anew which transaction gets it.
  // Moves to one place would make each other start again, more often than they may.
  const oneByOne = KeyedLock.make()

  const findStored = (bucket: BucketRef, selector: Selector) => read((client) => find(client, bucket, selector))

  const findKept = (kept: FileCache.FileCache, bucket: BucketRef, selector: Selector & { readonly _tag: "Id" }) =>
    Effect.suspend(() => {
      const row = kept.find(bucket, selector.id)
      if (row !== undefined) return Effect.succeedSome(toFile(row))
      const keep = kept.keeper(bucket, selector.id)
      return findStored(bucket, selector).pipe(
        Row.first((found) => {
          const file = toFile(found)
          keep(found)
          return file
        })
      )
    })

  return FileRepository.of({
    insert: (bucket, file, assembly) => insertFile(sql, bucket, file, assembly).pipe(operation("files.insert")),

    replaceContent: (replacement) =>
      replaceContent(sql, replacement).pipe(oneByOne(replacement.fileId), operation("files.replaceContent")),

    find: (bucket, selector) =>
      Effect.withFiber(({ context }) =>
        cache === undefined ||
        selector._tag !== "Id" ||
        selector.folder !== undefined ||
        selector.at !== undefined ||
        Context.getOrUndefined(context, sql.transactionService) !== undefined
          ? Row.first(toFile)(findStored(bucket, selector))
          : findKept(cache, bucket, selector)
      ).pipe(operation("files.find")),

    list: (request) =>
      (isPageRead(request) ? readPage((client) => listFiles(client, request)) : listFiles(sql, request)).pipe(
        operation("files.list")
      ),

    listFolders: (request) =>
      (request.limit <= Reads.maxPageRows
        ? readPage((client) => listFolders(client, request))
        : listFolders(sql, request)
      ).pipe(operation("files.listFolders")),

    listKeys: (request) =>
      (request.limit < Reads.maxKeyRows
        ? readPage((client) => listKeys(client, request))
        : listKeys(sql, request)
      ).pipe(operation("files.listKeys")),

    count: (request) => countFiles(sql, request).pipe(operation("files.count")),

    update: (update) => updateFile(sql, update).pipe(operation("files.update")),

    updateMetadata: (update) => updateMetadata(sql, update).pipe(operation("files.updateMetadata")),

    updateHeaders: (update) => updateHeaders(sql, update).pipe(operation("files.updateHeaders")),

    remove: (removal) => removeFile(sql, removal).pipe(operation("files.remove")),

    removeMany: (removal) => removeFiles(sql, removal).pipe(operation("files.removeMany")),

    move: (move) => moveFiles(sql, move).pipe(oneByOne(move.bucket.bucketId), operation("files.move"))
  })
})

export const layer: Layer.Layer<FileRepository, never, SqlClient> = Layer.effect(FileRepository, make)
