/**
 * Uploads one content as a blob.
 */
import * as MultipartUpload from "@holdfast/core/storage/MultipartUpload"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { AzureFailure } from "../AzureFailure.ts"
import type * as AzureOptions from "../../AzureOptions.ts"
import type * as Connection from "../client/Connection.ts"
import * as BlockList from "./BlockList.ts"
import * as ContentDigests from "./ContentDigests.ts"

const mebibyte = 1024 * 1024

export interface PartSizes {
  /** Bytes of a block. */
  readonly partBytes: number
  /** How many blocks are read or sent at a time. */
  readonly concurrency: number
}

/** Returns the configured sizes. */
export const partSizes = ({
  blockBytes = 8 * mebibyte,
  blockConcurrency = 3
}: AzureOptions.BlockOptions): PartSizes => ({
  partBytes: Math.max(1, blockBytes),
  concurrency: Math.max(1, blockConcurrency)
})

/** The entity tag in the answer. */
export type Stored = string | undefined

/** The SHA-256 of the content, hexadecimal, and its size. */
export type Content = MultipartUpload.ContentSummary<string>

export interface Settings extends PartSizes {
  readonly name: string
  readonly fields?: BlockList.Fields
  /** How many bytes the content is expected to have. */
  readonly expectedBytes?: number
  /** As in `MultipartUpload`. */
  readonly reject?: (content: Content) => AzureFailure | undefined
  readonly isInterruptible?: boolean
  readonly undo?: () => Effect.Effect<void>
}

/** Uploads a content in one request, or in blocks if it has at least `partBytes` bytes. */
export const upload = <E, R>(
  connection: Connection.Connection,
  { fields = {}, name, ...settings }: Settings,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<MultipartUpload.Receipt<Stored, string>, AzureFailure | E, R> =>
  MultipartUpload.concurrent(content, {
    ...settings,
    maxWholeBytes: settings.partBytes - 1,
    makeHasher: ContentDigests.make,
    sendWhole: (part) => BlockList.putWhole(connection, name, fields, part),
    begin: Effect.sync(BlockList.makeIds),
    sendPart: (ids, part) => BlockList.stage(connection, name, ids, part),
    complete: (_ids, blocks) => BlockList.commit(connection, name, fields, blocks),
    // Azure has no request that removes blocks.
    abort: () => Effect.void
  })
