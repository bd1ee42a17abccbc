/**
 * The inputs of moves and of operations on several files, and what a move answers.
 */
import * as Schema from "effect/Schema"
import { FolderPath } from "../../access/FolderPath.ts"
import * as Ids from "../../Ids.ts"
import { FileName } from "../FileName.ts"
import * as NewFile from "../NewFile.ts"

/** The most files of one request. */
const maxFiles = 1000

/** What a move does where the bucket has a file at the place of a moved one. */
export const OnConflict = Schema.Literals(["fail", "replace", "rename"]).annotate({
  description:
    "What happens if the bucket has a file with the new path and name: `fail`, the default, answers 409; `replace` removes that file; " +
    "`rename` adds random characters to the name of the moved file."
})

export const MoveFile = Schema.Struct({
  path: Schema.optional(FolderPath).annotate({ description: "The new folder. The present one when absent." }),
  name: Schema.optional(FileName).annotate({ description: "The new name. The present one when absent." }),
  onConflict: Schema.optional(OnConflict)
}).annotate({ identifier: "MoveFile" })
export type MoveFile = typeof MoveFile.Type

export const CopyFile = Schema.Struct({
  toBucketId: Schema.optional(Schema.String.check(Schema.isMaxLength(Ids.length))).annotate({
    description: "The bucket of the copy. That of the file when absent."
  }),
  path: Schema.optional(FolderPath).annotate({ description: "The folder of the copy. That of the file when absent." }),
  name: Schema.optional(FileName).annotate({ description: "The name of the copy. That of the file when absent." }),
  onConflict: Schema.optional(NewFile.OnConflict)
}).annotate({ identifier: "CopyFile" })
export type CopyFile = typeof CopyFile.Type

const FileIds = Schema.Array(Schema.String.check(Schema.isMaxLength(Ids.length)))
  .check(
    Schema.isMinLength(1),
    Schema.isMaxLength(maxFiles),
    Schema.makeFilter((ids: ReadonlyArray<string>) =>
      new Set(ids).size === ids.length ? undefined : "must not have an id twice"
    )
  )
  .annotate({ description: `The ids of the files, at most ${maxFiles}.` })

export const FileSet = Schema.Struct({ fileIds: FileIds }).annotate({ identifier: "FileSet" })
export type FileSet = typeof FileSet.Type

export const MoveFiles = Schema.Struct({
  fileIds: FileIds,
  path: FolderPath.annotate({ description: "The new folder." }),
  onConflict: Schema.optional(OnConflict)
}).annotate({ identifier: "MoveFiles" })
export type MoveFiles = typeof MoveFiles.Type

export const MovedFiles = Schema.Struct({
  items: Schema.Array(Schema.Struct({ id: Schema.String, path: Schema.String, name: Schema.String })).annotate({
    description: "The new places of the files, in the order of `fileIds`."
  })
}).annotate({ identifier: "MovedFiles" })
export type MovedFiles = typeof MovedFiles.Type
