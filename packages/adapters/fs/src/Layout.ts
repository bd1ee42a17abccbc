/**
 * The layout of the data directory:
 *
 *     lock.sqlite                                     locked while a process has the directory open
 *     tmp/<blob>.<n>                                  uploads in progress
 *     blobs/<tenant>/<bucket>/<shard>/<blob>          blobs, whole and durable
 *
 * A shard is the last two hexadecimal digits of the blob's id, so that no directory grows large. The first digits would not
 * distribute the blobs, because an id begins with the time.
 */
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Path from "node:path"

export interface Layout {
  readonly directory: string
  readonly blobs: string
  readonly tmp: string
}

/** Returns the paths of a data directory. */
export const make = (directory: string): Layout => {
  const root = Path.resolve(directory)
  return { directory: root, blobs: Path.join(root, "blobs"), tmp: Path.join(root, "tmp") }
}

/** The path of a blob. */
export interface BlobPath {
  readonly blobId: string
  /** Its directory, relative to `blobs`. */
  readonly parent: string
  /** Its file, absolute. */
  readonly path: string
}

/** Returns the shard of a blob. */
export const shardOf = (blobId: string): string => blobId.slice(-2)

/** Returns the path of a key's blob; undefined for a text that is not a key, so that no other file can be reached. */
export const locate = (layout: Layout, key: string): BlobPath | undefined => {
  const parts = BlobKey.parse(key)
  if (parts === undefined) return undefined
  const parent = `${parts.tenantId}/${parts.bucketId}/${shardOf(parts.blobId)}`
  return { blobId: parts.blobId, parent, path: `${layout.blobs}/${parent}/${parts.blobId}` }
}
