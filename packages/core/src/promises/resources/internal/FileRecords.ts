/**
 * Records and descriptions of files, written out so that editors show each field with its documentation.
 */
import type { BucketRef } from "../../../buckets/BucketRef.ts"
import type * as File from "../../../files/File.ts"
import type * as FileList from "../../../files/FileList.ts"
import type { FileType } from "../../../files/FileType.ts"
import type * as Link from "../../../files/links/Link.ts"

/** A JSON object that the user defines, at most 16 KiB and 63 levels. */
export type FileMetadata = File.Metadata

/** A response header that is sent with the content. */
export interface HeaderRecord {
  /** A header that describes the content, such as `cache-control`, or a name of your own that begins with `x-`. */
  readonly name: string
  /** At most 8,192 printable characters. */
  readonly value: string
}

/** The optional parts of a file's record, which `expands` names. */
export interface FileExpands {
  /** The size of the content, for `SIZE`; 0 while the file is RESERVED. */
  readonly size?: { readonly bytes: number; readonly human: string } | undefined
  /** The kind of the content, for `TYPE`. */
  readonly type?: { readonly type: FileType } | undefined
}

/** A file. */
export interface FileRecord<Time = Date> {
  /** The `fileId` in the inputs of all methods. */
  readonly id: string
  /** At most 255 bytes, in Unicode NFC. Unique in its folder. */
  readonly name: string
  /** The folder, with a leading and a trailing slash; `/` for the root of the bucket. */
  readonly path: string
  /** Inputs accept `@alias` instead of the id. Null for none. */
  readonly alias: string | null
  /** The media type of the content; null while the file is RESERVED. */
  readonly contentType: string | null
  /** A strong entity tag, with its quotes. It changes only when the content changes; null while the file is RESERVED. */
  readonly etag: string | null
  /** The SHA-256 of the content, in hexadecimal; null while the file is RESERVED. */
  readonly checksum: { readonly sha256: string } | null
  /** The number of contents so far: 0 while RESERVED, increased by each upload. */
  readonly version: number
  /** RESERVED until a content is uploaded. */
  readonly state: File.FileState
  /** Whether the stored bytes are damaged or missing. They cannot be read until they are repaired or replaced. */
  readonly damaged: boolean
  /** The JSON object that the user defined. */
  readonly metadata: FileMetadata
  /** The headers that are sent with the content. */
  readonly headers: ReadonlyArray<HeaderRecord>
  readonly createdAt: Time
  /** When the record or the content was last changed. */
  readonly updatedAt: Time
  /** The optional parts that the call requested. */
  readonly expands?: FileExpands | undefined
}

/** One page of a list of files. Only the first pages have folders, since all folders come before the files. */
export interface FilePage<Time = Date> {
  readonly items: ReadonlyArray<FileRecord<Time>>
  /** The folders directly below the path, as full paths. */
  readonly folders: ReadonlyArray<string>
  /** The `cursor` of the next page; null on the last page only. */
  readonly nextCursor: string | null
}

/** What an upload or a reservation says about the new file. */
export interface FileDescription {
  /** Any characters except slashes and control characters, at most 255 bytes. */
  readonly name: string
  /** The folder, such as `/reports/2026/`. Default: `/`, the root of the bucket. */
  readonly path?: string | undefined
  /** A readable name, unique in the bucket: inputs accept `@alias` instead of the id. Default: none. */
  readonly alias?: string | null | undefined
  /** A JSON object of your own, at most 16 KiB and 63 levels. Default: empty. */
  readonly metadata?: FileMetadata | undefined
  /** Response headers that are sent with the content, at most 64. Default: none. */
  readonly headers?: ReadonlyArray<HeaderRecord> | undefined
}

/** What to change of a file. Absent fields stay as they are. */
export interface FileChanges {
  /** The new name. */
  readonly name?: string | undefined
  /** The folder to move the file to. */
  readonly path?: string | undefined
  /** The new alias; null removes it. */
  readonly alias?: string | null | undefined
  /** Replaces the whole metadata. */
  readonly metadata?: FileMetadata | undefined
}

/** What a move does where the bucket has a file already. */
export interface MoveRule {
  /**
   * What happens if the bucket has a file with the new path and name: `fail`, the default, rejects with `file_exists`; `replace`
   * removes that file; `rename` adds random characters to the name of the moved file.
   */
  readonly onConflict?: "fail" | "replace" | "rename" | undefined
}

/** Where to move a file. At least one of path and name. */
export interface MovePlace extends MoveRule {
  /** The new folder. Default: the present one. */
  readonly path?: string | undefined
  /** The new name. Default: the present one. */
  readonly name?: string | undefined
}

/** Where to copy a file. */
export interface CopyPlace {
  /** The bucket of the copy, of the same tenant. Default: that of the file. */
  readonly toBucketId?: string | undefined
  /** The folder of the copy. Default: that of the file. */
  readonly path?: string | undefined
  /** The name of the copy. Default: that of the file. */
  readonly name?: string | undefined
  /** What happens if the bucket has a file with this path and name, as for uploads. Default: `fail`. */
  readonly onConflict?: "fail" | "replace" | "rename" | undefined
}

/** The new places of moved files, in the order of the input. */
export interface MovedFiles {
  readonly items: ReadonlyArray<{ readonly id: string; readonly path: string; readonly name: string }>
}

/** Which files to list. */
export interface ListFilesInput extends BucketRef, FileList.Request {}

/** What a link permits. */
export interface LinkDescription {
  /** To show the content (`view`, the default) or to save it (`download`). */
  readonly may?: Link.LinkAction | undefined
  /** Seconds until the link expires; at most 604,800, which are seven days. */
  readonly expiresIn: number
  /** The version of the file that the link is for: 404 after a reupload. Default: any version. */
  readonly version?: number | undefined
  /** The file name that the browser saves. Default: the name of the file. */
  readonly name?: string | undefined
}

/** A link. */
export interface SignedUrl<Time = Date> {
  /** The address of the content with its key. Anyone who has it may read the file. */
  readonly url: string
  readonly expiresAt: Time
}

/** What an upload link permits. */
export interface UploadLinkDescription {
  /** The folder of the file. Default: `/`. */
  readonly path?: string | undefined
  /** The name of the file. Default: the client that uploads chooses it. */
  readonly name?: string | undefined
  /** The largest content, in bytes. The limits of bucket and deployment hold too. */
  readonly maxBytes: number
  /** The media types that the link accepts, such as `image/*`. Default: any. */
  readonly contentTypes?: ReadonlyArray<string> | undefined
  /** Seconds until the link expires; at most 604,800, which are seven days. */
  readonly expiresIn: number
  /** What happens if the bucket has a file with this path and name. Default: `fail`. */
  readonly onConflict?: "fail" | "replace" | "rename" | undefined
  /**
   * The http or https URL of the page that a browser shows after it has sent a form to the link, with the id of the file as `fileId` in the
   * query. Default: none, and the browser shows the JSON of the answer.
   */
  readonly redirectTo?: string | undefined
}

/** An upload link. */
export interface UploadUrl<Time = Date> {
  /** Where to send the content, by `PUT` or `POST`. Anyone who has it may upload. */
  readonly url: string
  readonly expiresAt: Time
}
