/**
 * The records of files. `ContentsApi` writes their contents, `ReadingApi` reads them.
 */
import * as File from "@holdfast/core/files/File"
import * as FileList from "@holdfast/core/files/FileList"
import * as FileRef from "@holdfast/core/files/FileRef"
import * as MoveFile from "@holdfast/core/files/moves/MoveFile"
import * as Link from "@holdfast/core/files/links/Link"
import * as UnknownFields from "@holdfast/core/inputs/UnknownFields"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { JsonResponse, JsonRequest } from "./JsonMiddleware.ts"
import { created, describe, Flag, page, problems, text } from "./Operation.ts"

const bucket = { tenantId: Schema.String, bucketId: Schema.String }

/** The parameters of a path to a file. */
export const params = {
  ...bucket,
  fileId: Schema.String.annotate({ description: "The id of the file, or `@` and its alias." })
}

const expands = {
  expands: Schema.optional(Schema.Array(File.Expand).check(Schema.isMaxLength(16))).annotate({
    description: "Optional parts of the record. Repeat the parameter for several."
  })
}

const query = {
  ...FileList.Query.fields,
  recursive: Schema.optional(Flag).annotate({ description: "Whether to list the files of all subfolders too." }),
  ...expands,
  ...page
}

/** A hook of the application refuses the change, or fails. */
const hookErrors = ["change_refused", "hook_failed"] as const

const reserve = HttpApiEndpoint.post("reserve", "/", {
  params: bucket,
  disableCodecs: true,
  payload: File.CreateFile,
  success: created(File.File),
  error: problems("invalid_request", "quota_exceeded", "not_found", "file_exists", "alias_taken")
}).annotateMerge(
  describe({
    summary: "Reserve a file without content",
    description: "The first of two steps. The second step is to reupload the content.",
    permission: "file:write"
  })
)

const update = HttpApiEndpoint.patch("update", "/:fileId", {
  params,
  disableCodecs: true,
  payload: File.UpdateFile,
  success: File.File,
  error: problems("invalid_request", "not_found", "file_exists", "alias_taken")
}).annotateMerge(
  describe({ summary: "Rename or move a file, or change its alias or metadata", permission: "file:write" })
)

const signedUrl = HttpApiEndpoint.post("signedUrl", "/:fileId/links", {
  params,
  disableCodecs: true,
  payload: UnknownFields.refuse(Link.CreateLink),
  success: Link.SignedUrl,
  error: problems("invalid_request", "not_found")
}).annotateMerge(
  describe({
    summary: "Create a link to a file",
    description:
      "A browser shows or saves the file with it, without an API key. Nothing is stored: the link works until it expires, and " +
      "only while the caller may read the file.",
    permission: "file:read"
  })
)

const list = HttpApiEndpoint.get("list", "/", {
  params: bucket,
  query,
  success: FileList.FilePage,
  error: problems("invalid_request", "invalid_cursor", "not_found")
}).annotateMerge(
  describe({
    summary: "List the files of a folder",
    description: "Unless the list is filtered or recursive, it begins with the folders at that level, in `folders`.",
    permission: "file:read"
  })
)

const exists = HttpApiEndpoint.get("exists", "/exists", {
  params: bucket,
  query: FileRef.FileQuery.fields,
  success: FileRef.Existence,
  error: problems("invalid_request", "not_found")
}).annotateMerge(
  describe({
    summary: "Find out whether a file exists",
    description:
      "Takes either `fileId`, or `name` with the folder `path`. Answers 404 only when there is no such bucket.",
    permission: "file:read"
  })
)

const get = HttpApiEndpoint.get("get", "/:fileId", {
  params,
  query: expands,
  success: File.File,
  error: problems("invalid_request", "not_found")
}).annotateMerge(describe({ summary: "Get the record of a file", permission: "file:read" }))

const move = HttpApiEndpoint.post("move", "/:fileId/move", {
  params,
  headers: {
    "if-match": text("Move the file only if its content has one of these entity tags."),
    "if-none-match": text("Move the file only if its content has none of these entity tags.")
  },
  disableCodecs: true,
  payload: MoveFile.MoveFile,
  success: File.File,
  error: problems("invalid_request", "not_found", "file_exists", "precondition_failed", ...hookErrors)
}).annotateMerge(
  describe({
    summary: "Move a file to another folder or name",
    description:
      "Id, content, alias, metadata and headers stay. `onConflict` says what happens where the bucket has a file already.",
    permission: "file:write"
  })
)

const copy = HttpApiEndpoint.post("copy", "/:fileId/copy", {
  params,
  headers: {
    "if-match": text("Copy the file only if its content has one of these entity tags."),
    "if-none-match": text("Copy the file only if its content has none of these entity tags.")
  },
  disableCodecs: true,
  payload: MoveFile.CopyFile,
  success: created(File.File),
  error: problems(
    ...hookErrors,
    "invalid_request",
    "quota_exceeded",
    "not_found",
    "file_exists",
    "content_not_uploaded",
    "content_damaged",
    "precondition_failed",
    "content_too_large",
    "unsupported_media_type"
  )
}).annotateMerge(
  describe({
    summary: "Copy a file",
    description:
      "Copies the content, its media type, the metadata and the headers, to the same bucket or another one of the tenant; the alias and " +
      "the streams are not copied. Requires the permission `file:read` for the file, too.",
    permission: "file:write"
  })
)

const moveMany = HttpApiEndpoint.post("moveMany", "/move", {
  params: bucket,
  disableCodecs: true,
  payload: MoveFile.MoveFiles,
  success: MoveFile.MovedFiles,
  error: problems("invalid_request", "not_found", "file_exists", ...hookErrors)
}).annotateMerge(
  describe({
    summary: "Move several files to a folder",
    description: "All of them are moved, or none.",
    permission: "file:write"
  })
)

const removeMany = HttpApiEndpoint.post("removeMany", "/delete", {
  params: bucket,
  disableCodecs: true,
  payload: MoveFile.FileSet,
  success: HttpApiSchema.NoContent,
  error: problems("invalid_request", "not_found", ...hookErrors)
}).annotateMerge(
  describe({
    summary: "Remove several files permanently",
    description: "All of them are removed, or none.",
    permission: "file:write"
  })
)

const remove = HttpApiEndpoint.delete("remove", "/:fileId", {
  params,
  headers: {
    "if-match": text("Remove the file only if its content has one of these entity tags."),
    "if-none-match": text("Remove the file only if its content has none of these entity tags.")
  },
  success: HttpApiSchema.NoContent,
  error: problems("invalid_request", "not_found", "precondition_failed", ...hookErrors)
}).annotateMerge(describe({ summary: "Remove a file permanently", permission: "file:write" }))

export class FilesApi extends HttpApiGroup.make("files")
  .add(reserve, update, signedUrl, move, copy, moveMany, removeMany)
  .middleware(JsonRequest)
  .add(list, exists, get)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files")
  .annotate(OpenApi.Description, "The records of files: names, folders, aliases, metadata.") {}
