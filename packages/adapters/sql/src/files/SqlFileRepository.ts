/**
 * Files, in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { millis } from "../Dialect.ts"
import * as Reads from "../Reads.ts"
import * as Row from "../Row.ts"
import { operation } from "../SqlFailure.ts"
import { removeFile, updateFile, updateHeaders } from "./ChangeFile.ts"
import { columns, named, toFile } from "./FileRow.ts"
import { insertFile } from "./InsertFile.ts"
import { listFiles, listFolders } from "./ListFiles.ts"
import { replaceContent } from "./ReplaceContent.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const read = yield* Reads.make(sql)

  return FileRepository.of({
    insert: (bucket, file) => insertFile(sql, bucket, file).pipe(operation("files.insert")),

    replaceContent: (bucket, fileId, content, condition, { sweepAt }) =>
      replaceContent(sql, bucket, fileId, content, condition, millis(sweepAt)).pipe(operation("files.replaceContent")),

    find: (bucket, selector) =>
      read((sql) => sql`SELECT ${sql.literal(columns)} FROM file WHERE ${named(sql, bucket, selector)}`).pipe(
        Row.first(toFile),
        operation("files.find")
      ),

    list: (bucket, query, after, limit) => listFiles(sql, bucket, query, after, limit).pipe(operation("files.list")),

    listFolders: (bucket, path, after, limit) =>
      listFolders(sql, bucket, path, after, limit).pipe(operation("files.listFolders")),

    update: (bucket, selector, change, at) =>
      updateFile(sql, bucket, selector, change, millis(at)).pipe(operation("files.update")),

    updateHeaders: (bucket, selector, change, at) =>
      updateHeaders(sql, bucket, selector, change, millis(at)).pipe(operation("files.updateHeaders")),

    remove: (bucket, selector, condition, { sweepAt }) =>
      removeFile(sql, bucket, selector, condition, millis(sweepAt)).pipe(operation("files.remove"))
  })
})

export const layer: Layer.Layer<FileRepository, never, SqlClient> = Layer.effect(FileRepository, make)
