/**
 * `client.files`.
 */
import type { BucketRef, FileRef, ReadFileInput, ReuploadInput, UploadInput } from "@holdfast/core"
import type { CallOptions, Methods } from "@holdfast/core/promises/Operations"
import type { Download } from "@holdfast/core/promises/content/Download"
import type { FileOperations } from "@holdfast/core/promises/resources/FilesApi"
import type { FileRecord } from "../Records.ts"
import { ResponseDownload, toRangeHeader } from "../ResponseDownload.ts"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"
import * as Uploader from "../upload/Uploader.ts"

const files = "/tenants/:tenantId/buckets/:bucketId/files"
const file = `${files}/:fileId`

/** Operations whose requests are JSON or nothing, and whose responses are records. */
type RecordOperations = Pick<
  FileOperations<string>,
  "get" | "list" | "moveMany" | "reserve" | "signedUrl" | "update" | "uploadUrl"
>

/** The operation of which `exists` returns the answer. */
interface ExistenceOperation {
  find(input: BucketRef & { readonly [Name in "fileId" | "path" | "name"]?: string | undefined }): {
    readonly exists: boolean
  }
}

export interface FilesClient extends Methods<FileOperations<string>, []> {
  readonly upload: (input: UploadInput, options?: Uploader.UploadOptions) => Promise<FileRecord>
  readonly reupload: (input: ReuploadInput, options?: Uploader.UploadOptions) => Promise<FileRecord>

  /** Opens the content of a file as `read` does. The response has `Content-Disposition: attachment` with the file's name. */
  readonly download: (input: ReadFileInput, options?: CallOptions) => Promise<Download>

  /** Returns the URL of a content, for links and images. It has no API key. */
  readonly url: (input: FileRef, action?: "view" | "download") => string
}

export const make = (transport: Transport): FilesClient => {
  const open = async (action: "view" | "download", input: ReadFileInput, options?: CallOptions): Promise<Download> => {
    const path = Routes.fillPath(`${file}/${action}`, input)
    const headers = { range: toRangeHeader(input.range) }
    return new ResponseDownload(await transport.send({ ...options, method: "GET", path, headers }))
  }
  const records = Routes.bind<RecordOperations>(
    transport,
    {
      reserve: { method: "POST", path: files, hasBody: true },
      list: {
        method: "GET",
        path: files,
        query: ["path", "recursive", "name", "state", "type", "expands", "limit", "cursor"]
      },
      get: { method: "GET", path: file, query: ["expands"] },
      update: { method: "PATCH", path: file, hasBody: true },
      moveMany: { method: "POST", path: `${files}/move`, hasBody: true },
      signedUrl: { method: "POST", path: `${file}/links`, hasBody: true },
      uploadUrl: { method: "POST", path: "/tenants/:tenantId/buckets/:bucketId/upload-links", hasBody: true }
    },
    { list: true }
  )
  const existence = Routes.bind<ExistenceOperation>(transport, {
    find: { method: "GET", path: `${files}/exists`, query: ["fileId", "path", "name"] }
  })
  /** Returns the record of a link with an absolute URL, where the service knows only its path. */
  const toAbsolute = <A extends { readonly url: string }>(link: A): A => ({
    ...link,
    url: new URL(link.url, transport.url([])).href
  })
  return {
    ...records,

    exists: async (input, options) => (await existence.find(input, options)).exists,

    signedUrl: async (input, options) => toAbsolute(await records.signedUrl(input, options)),
    uploadUrl: async (input, options) => toAbsolute(await records.uploadUrl(input, options)),

    upload: (input, options) => {
      const { alias, headers, metadata, name, onConflict, path } = input
      const target = {
        path: Routes.fillPath(`${files}/upload`, input),
        query: { onConflict },
        description: { name, path, alias, metadata, headers }
      }
      return Uploader.upload(transport, target, input, options)
    },

    reupload: (input, options) =>
      Uploader.upload(transport, { path: Routes.fillPath(`${file}/reupload`, input) }, input, options),

    remove: (input, options) => {
      const path = Routes.fillPath(file, input)
      return transport.empty({ ...options, method: "DELETE", path, headers: Uploader.toConditionHeaders(input) })
    },

    removeMany: (input, options) => {
      const path = Routes.fillPath(`${files}/delete`, input)
      return transport.empty({ ...options, method: "POST", path, json: { fileIds: input.fileIds } })
    },

    move: (input, options) => {
      const { name, onConflict, path: folder } = input
      const path = Routes.fillPath(`${file}/move`, input)
      const headers = Uploader.toConditionHeaders(input)
      return transport.json({ ...options, method: "POST", path, headers, json: { name, onConflict, path: folder } })
    },

    copy: (input, options) => {
      const { name, onConflict, path: folder, toBucketId } = input
      const path = Routes.fillPath(`${file}/copy`, input)
      const headers = Uploader.toConditionHeaders(input)
      const json = { toBucketId, name, onConflict, path: folder }
      return transport.json({ ...options, method: "POST", path, headers, json })
    },

    read: (input, options) => open("view", input, options),
    download: (input, options) => open("download", input, options),
    url: (input, action = "view") => transport.url(Routes.fillPath(`${file}/${action}`, input))
  }
}
