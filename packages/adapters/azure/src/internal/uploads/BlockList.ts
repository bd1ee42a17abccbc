/**
 * The requests of an upload in blocks. Nothing of the blob is visible until the list of its blocks is committed. Blocks
 * without a list are never listed or read. The service drops them after a week, or with the next commit of the same
 * blob.
 */
import type { BlobHTTPHeaders } from "@azure/storage-blob"
import type { Part } from "@holdfast/core/storage/Chunker"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import * as AzureFailure from "../AzureFailure.ts"
import type * as Connection from "../client/Connection.ts"

/** The service's limit. */
export const maxBlocks = 50_000

/** The headers and metadata of a blob. */
export interface Fields {
  readonly blobHTTPHeaders?: BlobHTTPHeaders
  readonly metadata?: Record<string, string>
}

/** Returns the bytes of a part as a Buffer: the SDK would send the whole memory that a `Uint8Array` is a view of. */
const toBuffer = ({ bytes }: Part<Uint8Array>): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Returns the id of a block by its index. */
export type BlockIds = (index: number) => string

/**
 * Makes the ids of one upload. No other upload has them, so that blocks which another upload left are never committed
 * with this one. All ids have one length, which the service requires within a blob.
 */
export const makeIds = (): BlockIds => {
  const upload = randomUUID()
  return (index) => Buffer.from(`${upload}-${String(index).padStart(5, "0")}`).toString("base64")
}

/** Sends one block. Returns its id. */
export const stage = (
  connection: Connection.Connection,
  name: string,
  idOf: BlockIds,
  part: Part<Uint8Array>
): Effect.Effect<string, AzureFailure.AzureFailure> => {
  if (part.index >= maxBlocks) {
    return Effect.fail(AzureFailure.make("TooLarge", `The content has more than ${maxBlocks} blocks.`))
  }
  const id = idOf(part.index)
  const options = { transactionalContentMD5: part.digests }
  return Effect.as(
    connection.call((container, abortSignal) =>
      container
        .getBlockBlobClient(name)
        .stageBlock(id, toBuffer(part), part.bytes.byteLength, { ...options, abortSignal })
    ),
    id
  )
}

/** Makes the blob of these blocks visible. Returns its entity tag. */
export const commit = (
  connection: Connection.Connection,
  name: string,
  fields: Fields,
  ids: ReadonlyArray<string>
): Effect.Effect<string | undefined, AzureFailure.AzureFailure> =>
  Effect.map(
    connection.call((container, abortSignal) =>
      container.getBlockBlobClient(name).commitBlockList([...ids], { ...fields, abortSignal })
    ),
    ({ etag }) => etag
  )

/** Puts a blob in one request. Returns its entity tag. */
export const putWhole = (
  connection: Connection.Connection,
  name: string,
  fields: Fields,
  part: Part<Uint8Array>
): Effect.Effect<string | undefined, AzureFailure.AzureFailure> =>
  Effect.map(
    connection.call((container, abortSignal) =>
      container.getBlockBlobClient(name).upload(toBuffer(part), part.bytes.byteLength, {
        ...fields,
        abortSignal,
        transactionalContentMD5: part.digests
      })
    ),
    ({ etag }) => etag
  )
