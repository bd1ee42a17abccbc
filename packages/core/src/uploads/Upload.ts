/**
 * An upload in parts: a content that arrives in several requests, and becomes the content of a file when it is completed.
 */
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { CreateFile } from "../files/File.ts"
import { OnConflict } from "../files/NewFile.ts"

/**
 * How the bytes arrive:
 *
 * - APPEND: in order. Each request continues at the offset that the upload has reached (tus, IETF resumable uploads).
 * - PARTS: in numbered parts, in any order, several at a time. A part may be sent again (multipart uploads of S3).
 */
export const UploadMode = Schema.Literals(["APPEND", "PARTS"])
export type UploadMode = typeof UploadMode.Type

/**
 * - OPEN: accepts bytes.
 * - DONE: is completed. A repeated completion gets the same answer until the upload expires.
 * - DEAD: was aborted, or is a partial upload whose parts another one has.
 */
export type UploadState = "OPEN" | "DONE" | "DEAD"

const Tags = Schema.Union([Schema.Literal("*"), Schema.Array(Schema.String)])

/** What the upload makes, and on which conditions. Checked when it is created, and again when it is completed. */
export const UploadTerms = Schema.Struct({
  description: CreateFile,
  contentType: Schema.NullOr(Schema.String),
  onConflict: OnConflict,
  condition: Schema.Struct({ ifMatch: Schema.optional(Tags), ifNoneMatch: Schema.optional(Tags) }),
  /** The rules of the upload link that permits the upload; null without one. */
  linkRules: Schema.NullOr(
    Schema.Struct({ maxBytes: Schema.Int, contentTypes: Schema.NullOr(Schema.Array(Schema.String)) })
  ),
  /** Identifies the terms of the upload link that permits the upload, and its creator; absent without a link. */
  link: Schema.optional(Schema.String),
  /** The share by which the upload was created: until it ends, its file and its bytes count within the caps of the share. */
  shareId: Schema.optional(Schema.String),
  /** Texts that the protocol of the upload returns with it, such as `Upload-Metadata` of tus. */
  notes: Schema.optional(Schema.Record(Schema.String, Schema.String)),
  /** Whether the upload makes no file: its bytes become those of another upload, by its `partials`. */
  isPartial: Schema.optional(Schema.Boolean),
  /**
   * The partial uploads whose bytes the upload has, in their order, with how many parts and bytes are from each. The parts are theirs
   * until the upload is completed.
   */
  partials: Schema.optional(Schema.Array(Schema.Struct({ id: Schema.String, parts: Schema.Int, bytes: Schema.Int }))),
  /** The completed upload that has the parts of this partial one, whose state is DEAD then. */
  joinedBy: Schema.optional(Schema.String)
})
export type UploadTerms = typeof UploadTerms.Type

/** An upload in parts, as callers see it. */
export interface Upload extends BucketRef {
  readonly id: string
  readonly mode: UploadMode
  readonly terms: UploadTerms
  /** Bytes of the whole content; null while they are not declared. */
  readonly length: number | null
  /** Bytes that are stored durably. With APPEND this is the offset of the next append. */
  readonly received: number
  readonly state: UploadState
  /** The file that the upload has made; null until it is DONE. */
  readonly fileId: string | null
  readonly createdAt: DateTime.Utc
  /** When the service removes the upload and its parts, unless it receives bytes before. */
  readonly expiresAt: DateTime.Utc
}

/** An upload as the repository stores it. */
export interface StoredUpload extends Omit<Upload, "fileId"> {
  /** The blob that the content will have, which holds the reservation of the bytes. */
  readonly blobId: string
  /** Which request may append: a request that takes the upload over increases it. */
  readonly epoch: number
  /** How often the parts have changed. With APPEND this is the number of the parts. */
  readonly revision: number
  /** The file that the upload has made, as JSON; null until it is DONE. */
  readonly answer: string | null
  /**
   * The file whose content the upload replaces, so that it reserves only by how much the new content is larger; null for none. At most
   * one open upload of a file has it: otherwise each of many could store as many bytes beyond the limits.
   */
  readonly replacedFileId: string | null
  /** The client that created the upload by a link or share (`NewUpload.client`); null where it is not known, and without a link. */
  readonly client: string | null
}

/**
 * Whether an upload reserves its declared length. One by a link or share does not: its bytes are reserved as they arrive, so that a
 * holder who sends none takes no room from the members of the tenant.
 */
export const reservesLength = ({ length, terms }: Pick<Upload, "length" | "terms">): boolean =>
  length !== null && terms.link === undefined

/**
 * Returns what an open upload counts within the caps of its share. Partial uploads count the bytes, and the upload that they become counts
 * the file.
 */
export const shareUseOf = ({ length, received, terms }: Pick<Upload, "length" | "received" | "terms">) => ({
  files: terms.isPartial === true ? 0 : 1,
  bytes: terms.partials === undefined ? Math.max(length ?? 0, received) : 0
})

/** A part of an upload. */
export interface UploadPart {
  /** From 1. */
  readonly number: number
  readonly blobId: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
  /** The text that the writer has stored with the part, such as its entity tag in S3; null for none. */
  readonly tag: string | null
  readonly createdAt: DateTime.Utc
}

/** The most parts of an upload. */
export const maxParts = 10_000
