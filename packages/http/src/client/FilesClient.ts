/**
 * `client.files` and `client.headers`.
 */
import type { Request as ListRequest } from "@holdfast/core/files/FileList"
import { Download, type Range, toHeader } from "./Download.ts"
import type * as Records from "./Records.ts"
import type { CallOptions, Transport } from "./Transport.ts"
import * as Uploading from "./Uploading.ts"

export type UploadInput = Records.BucketRef & Records.CreateFile & Uploading.ContentInput
export type ReuploadInput = Records.FileRef & Uploading.ContentInput

export interface ReadInput extends Records.FileRef {
  readonly range?: Range | undefined
}

const inBucket = ({ bucketId, tenantId }: Records.BucketRef): ReadonlyArray<string> => [
  "tenants",
  tenantId,
  "buckets",
  bucketId,
  "files"
]

const at = (ref: Records.FileRef, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...inBucket(ref),
  ref.fileId,
  ...more
]

export const make = (transport: Transport) => ({
  /** Creates a file with its content. When it resolves the bytes are durable. */
  upload: (input: UploadInput, options?: Uploading.UploadOptions): Promise<Records.FileRecord> => {
    const { alias, headers, metadata, name, path } = input
    const form = { name, path, alias, metadata, headers }
    return Uploading.send(transport, { path: [...inBucket(input), "upload"], form }, input, options)
  },

  /** Replaces a file's content; id, headers, alias and metadata stay. Also fills a reserved file. */
  reupload: (input: ReuploadInput, options?: Uploading.UploadOptions): Promise<Records.FileRecord> =>
    Uploading.send(transport, { path: at(input, "reupload") }, input, options),

  /** Reserves an entry without content. */
  reserve: (input: Records.BucketRef & Records.CreateFile, options?: CallOptions): Promise<Records.FileRecord> => {
    const { bucketId: _, tenantId: __, ...json } = input
    return transport.json({ ...options, method: "POST", path: inBucket(input), json })
  },

  /** A folder's folders, then its files; or with `recursive` every file below it. */
  list: (input: Records.BucketRef & ListRequest, options?: CallOptions): Promise<Records.FilePage> => {
    const { cursor, expands, limit, name, path, recursive, state, type } = input
    const query = { cursor, expands, limit, name, path, recursive, state, type }
    return transport.json({ ...options, method: "GET", path: inBucket(input), query })
  },

  get: (
    input: Records.FileRef & { readonly expands?: ReadonlyArray<Records.Expand> | undefined },
    options?: CallOptions
  ): Promise<Records.FileRecord> =>
    transport.json({ ...options, method: "GET", path: at(input), query: { expands: input.expands } }),

  /** Renames, moves, and changes alias and metadata. */
  update: (input: Records.FileRef & Records.UpdateFile, options?: CallOptions): Promise<Records.FileRecord> => {
    const { bucketId: _, fileId: __, tenantId: ___, ...json } = input
    return transport.json({ ...options, method: "PATCH", path: at(input), json })
  },

  /** Removes a file for good. */
  remove: (input: Records.FileRef & Records.Conditions, options?: CallOptions): Promise<void> => {
    const headers = { "if-match": input.ifMatch, "if-none-match": input.ifNoneMatch }
    return transport.none({ ...options, method: "DELETE", path: at(input), headers })
  },

  /** Opens a content for reading, whole or a range of it. The signal ends the transfer, too. */
  read: async (input: ReadInput, options?: CallOptions): Promise<Download> => {
    const headers = { range: input.range === undefined ? undefined : toHeader(input.range) }
    return new Download(await transport.send({ ...options, method: "GET", path: at(input, "view"), headers }))
  },

  /** The same, as what is to be saved: the answer names the file. */
  download: async (input: ReadInput, options?: CallOptions): Promise<Download> => {
    const headers = { range: input.range === undefined ? undefined : toHeader(input.range) }
    return new Download(await transport.send({ ...options, method: "GET", path: at(input, "download"), headers }))
  },

  /** The address of a content, for links and images, without a key. */
  url: (input: Records.FileRef, as: "view" | "download" = "view"): string => transport.url(at(input, as))
})

export type FilesClient = ReturnType<typeof make>

export const makeHeaders = (transport: Transport) => ({
  /** Attaches a header; one of the same name is replaced. */
  set: (input: Records.FileRef & Records.HeaderRecord, options?: CallOptions): Promise<Records.HeaderRecord> =>
    transport.json({
      ...options,
      method: "POST",
      path: at(input, "headers"),
      json: { name: input.name, value: input.value }
    }),

  /** Attaches several, all or none. */
  setAll: (
    input: Records.FileRef & { readonly bulk: ReadonlyArray<Records.HeaderRecord> },
    options?: CallOptions
  ): Promise<Records.Listing<Records.HeaderRecord>> =>
    transport.json({ ...options, method: "POST", path: at(input, "headers", "bulk"), json: { bulk: input.bulk } }),

  list: (input: Records.FileRef, options?: CallOptions): Promise<Records.Page<Records.HeaderRecord>> =>
    transport.json({ ...options, method: "GET", path: at(input, "headers") }),

  remove: (input: Records.FileRef & { readonly name: string }, options?: CallOptions): Promise<void> =>
    transport.none({ ...options, method: "DELETE", path: at(input, "headers", input.name) })
})

export type HeadersClient = ReturnType<typeof makeHeaders>
