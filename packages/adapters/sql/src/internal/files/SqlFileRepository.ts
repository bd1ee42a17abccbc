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

const bucketParameters = { tenantId: "tenantId", bucketId: "bucketId" } as const

/** Returns the statement that finds a file. */
const makeFind = (sql: SqlClient) => {
  const select = (client: SqlClient, bucket: BucketRef, selector: Selector) =>
    client`SELECT ${sql.literal(columns)} FROM file WHERE ${bySelector(client, bucket, selector)}`
  const byId = PreparedText.make(sql, { ...bucketParameters, id: "id" }, (names) =>
    select(sql, names, { _tag: "Id", id: names.id })
  )
  const byAlias = PreparedText.make(sql, { ...bucketParameters, alias: "alias" }, (names) =>
    select(sql, names, { _tag: "Alias", alias: names.alias })
  )
  const byPlace = PreparedText.make(
    sql,
    { ...bucketParameters, path: "path", name: "name" },
    ({ name, path, ...bucket }) => select(sql, bucket, { _tag: "Place", place: { path, name } })
  )
  return (client: SqlClient, { bucketId, tenantId }: BucketRef, selector: Selector) => {
    if (selector.folder !== undefined || selector.at !== undefined)
      return select(client, { tenantId, bucketId }, selector)
    switch (selector._tag) {
      case "Id":
        return byId(client, { tenantId, bucketId, id: selector.id })
      case "Alias":
        return byAlias(client, { tenantId, bucketId, alias: selector.alias })
      case "Place":
        return byPlace(client, { tenantId, bucketId, ...selector.place })
    }
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
  const find = makeFind(sql)
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
