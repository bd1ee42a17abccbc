/**
 * One content on its way to the service.
 */
import type { BlobHTTPHeaders } from "@azure/storage-blob"
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as Assembly from "./Assembly.ts"
import type * as AzureFailure from "./AzureFailure.ts"
import type * as AzureOptions from "./AzureOptions.ts"
import type * as Connection from "./Connection.ts"
import * as Staging from "./Staging.ts"

export { maxBlocks } from "./Staging.ts"

const mebibyte = 1024 * 1024

export interface Sizes {
  /** Bytes of a block. */
  readonly blockBytes: number
  /** Blocks that are filled or sent at once. */
  readonly blockConcurrency: number
}

export const sizes = ({ blockBytes = 8 * mebibyte, blockConcurrency = 3 }: AzureOptions.Blocks): Sizes => ({
  blockBytes: Math.max(1, blockBytes),
  blockConcurrency: Math.max(1, blockConcurrency)
})

/** A blob as it is to stand. */
export interface Target {
  readonly name: string
  /** As many as it is likely to have. */
  readonly expectedBytes?: number
  readonly blobHTTPHeaders?: BlobHTTPHeaders
  readonly metadata?: Record<string, string>
}

/** A content that has been read to its end, and of which nothing is visible. */
export interface Prepared {
  readonly receipt: BlobReceipt
  /** Makes the blob visible, as a whole; gives its entity tag. Not to be interrupted by whoever needs to know whether it did. */
  readonly commit: Effect.Effect<string | undefined, AzureFailure.AzureFailure>
}

/**
 * Reads a content and brings it to the service but for the request that makes it visible: a small one stays in memory, a
 * larger one is staged. The scope must be open for the commit.
 */
export const prepare = <E, R>(
  connection: Connection.Connection,
  { blockBytes, blockConcurrency }: Sizes,
  { expectedBytes, name, ...described }: Target,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<Prepared, AzureFailure.AzureFailure | E, Scope.Scope | R> =>
  Effect.gen(function* () {
    const assembly = yield* Assembly.make(content, blockBytes, expectedBytes)
    const memory = Assembly.memory()
    const block = yield* assembly.next(memory)
    if (block === undefined) return yield* Effect.die(new Error("a content has no first block"))
    if (block.bytes.byteLength < blockBytes) {
      const commit = connection.call((container, abortSignal) =>
        container.getBlockBlobClient(name).upload(block.bytes, block.bytes.byteLength, {
          ...described,
          abortSignal,
          transactionalContentMD5: block.md5
        })
      )
      return { receipt: assembly.receipt(), commit: Effect.map(commit, ({ etag }) => etag) }
    }
    const others = Array.from({ length: blockConcurrency - 1 }, Assembly.memory)
    const list = yield* Staging.sendAll(connection, name, assembly, { block, memory }, others)
    const commit = connection.call((container, abortSignal) =>
      container.getBlockBlobClient(name).commitBlockList([...list], { ...described, abortSignal })
    )
    return { receipt: assembly.receipt(), commit: Effect.map(commit, ({ etag }) => etag) }
  })
