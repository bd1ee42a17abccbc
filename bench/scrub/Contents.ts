/**
 * The contents of files that `Seed` inserts, in the data directory. All have the same bytes, which are written without syncing
 * them: as many uploads would take too long.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Layout from "@holdfast/fs/Layout"
import * as Seed from "../support/fixtures/Seed.ts"

const bytes = Buffer.alloc(Seed.contentBytes, "The bytes of a small content. ")

/** Hexadecimal. */
export const sha256 = createHash("sha256").update(bytes).digest("hex")

export interface Content {
  readonly blobId: string
  readonly path: string
}

/** Returns the n-th content of a bucket in a data directory. */
export const locate = (directory: string, bucket: Seed.Bucket, n: number): Content => {
  const blobId = Seed.blobId(bucket, n)
  const located = Layout.locate(Layout.make(directory), BlobKey.make({ ...bucket, blobId }))
  if (located === undefined) throw new Error(`${blobId} is not the id of a blob.`)
  return { blobId, path: located.path }
}

/** Writes all contents of a bucket. */
export const write = (directory: string, bucket: Seed.Bucket): void => {
  const shards = new Set<string>()
  for (let n = 0; n < bucket.files; n++) {
    const { path } = locate(directory, bucket, n)
    const shard = dirname(path)
    if (!shards.has(shard)) mkdirSync(shard, { recursive: true })
    shards.add(shard)
    writeFileSync(path, bytes)
  }
}

/** Flips one bit in the middle of a content. */
export const flipBit = ({ path }: Content): void => {
  const changed = readFileSync(path)
  const middle = changed.byteLength >> 1
  changed[middle] = (changed[middle] ?? 0) ^ 1
  writeFileSync(path, changed)
}

export const isIntact = ({ path }: Content): boolean => readFileSync(path).equals(bytes)
