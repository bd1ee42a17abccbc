/**
 * Records and descriptions of uploads in parts, written out so that editors show each field with its documentation.
 */
import * as Effect from "effect/Effect"
import type { BucketRef } from "../../../buckets/BucketRef.ts"
import { InvalidRequest } from "../../../Errors.ts"
import type { OnConflict } from "../../../files/NewFile.ts"
import { type Upload, UploadMode, type UploadState } from "../../../uploads/Upload.ts"
import type { WithTimes } from "../../internal/Times.ts"
import type { Conditions } from "./Conditions.ts"
import type { FileDescription } from "./FileRecords.ts"

/** An upload in parts. */
export interface UploadRecord<Time = Date> {
  /** The `uploadId` in the inputs of all methods. */
  readonly id: string
  /** APPEND: the bytes arrive in order, by `append`. PARTS: they arrive in numbered parts, by `putPart`. */
  readonly mode: UploadMode
  /** The name of the file that the upload makes. */
  readonly name: string
  /** The folder of that file. */
  readonly path: string
  /** Bytes of the whole content; null while they are not declared. */
  readonly length: number | null
  /** Bytes that are stored durably. With APPEND this is the `offset` of the next `append`. */
  readonly received: number
  /** OPEN: accepts bytes. DONE: is completed. */
  readonly state: Exclude<UploadState, "DEAD">
  readonly createdAt: Time
  /** When the upload and its bytes are removed, unless it receives bytes before. */
  readonly expiresAt: Time
}

/** A stored part of an upload. */
export interface UploadPartRecord<Time = Date> {
  /** From 1 to 10,000. */
  readonly number: number
  /** Bytes. */
  readonly size: number
  /** The SHA-256 of the part, in hexadecimal. */
  readonly sha256: string
  readonly createdAt: Time
}

/** What an upload in parts makes, and on which conditions. They are checked now, and again when the upload is completed. */
export interface CreateUploadInput extends BucketRef, FileDescription, Conditions {
  /**
   * How the bytes arrive. `APPEND`, the default: in order, each call continues where the former one ended. `PARTS`: in numbered parts,
   * in any order, several at a time.
   */
  readonly mode?: UploadMode | undefined
  /** Bytes of the whole content, if they are known. They are reserved in the quota then. */
  readonly length?: number | undefined
  /** The media type. Default: detected from the first bytes. */
  readonly contentType?: string | undefined
  /** What happens if the bucket has a file with this path and name, as for `upload`. Default: `fail`. */
  readonly onConflict?: OnConflict | undefined
}

/** Fails at `/mode` for an unknown mode, which programs without types can pass. */
export const checkMode = (mode: unknown): Effect.Effect<void, InvalidRequest> =>
  mode === undefined || UploadMode.literals.some((known) => known === mode)
    ? Effect.void
    : Effect.fail(InvalidRequest.at("/mode", 'must be "APPEND" or "PARTS"'))

/** Returns the record of an upload that can be found, which is not DEAD. */
export const toRecord = <Time>({
  createdAt,
  expiresAt,
  id,
  length,
  mode,
  received,
  state,
  terms
}: WithTimes<Upload, Time>): UploadRecord<Time> => ({
  id,
  mode,
  name: terms.description.name,
  path: terms.description.path ?? "/",
  length,
  received,
  state: state === "DONE" ? state : "OPEN",
  createdAt,
  expiresAt
})
