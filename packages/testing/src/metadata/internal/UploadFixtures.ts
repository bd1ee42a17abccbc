/**
 * Uploads in parts for the contract suites.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Assembly } from "@holdfast/core/files/FileRepository"
import type { StoredUpload } from "@holdfast/core/uploads/Upload"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import * as Effect from "effect/Effect"
import * as Fixtures from "../Fixtures.ts"
import * as Sample from "../Sample.ts"

export const sample = (bucket: BucketRef, fields: Partial<StoredUpload> = {}): StoredUpload => ({
  ...bucket,
  id: Sample.id("upl"),
  blobId: Sample.id("blb"),
  mode: "APPEND",
  terms: {
    description: { name: "movie.mp4" },
    contentType: null,
    onConflict: "fail",
    condition: { ifNoneMatch: "*" },
    linkRules: null
  },
  length: null,
  received: 0,
  state: "OPEN",
  epoch: 0,
  revision: 0,
  answer: null,
  replacedFileId: null,
  client: null,
  createdAt: Sample.at(),
  expiresAt: Sample.at(60_000),
  ...fields
})

export const open = Effect.fnUntraced(function* (bucket: BucketRef, fields: Partial<StoredUpload> = {}) {
  const upload = sample(bucket, fields)
  yield* (yield* UploadRepository).create(upload, { maxOpen: 100, maxOfLink: 2 })
  return upload
})

export const refOf = ({ bucketId, id, tenantId }: StoredUpload) => ({ tenantId, bucketId, uploadId: id })

/** Stages a blob and makes it a part. */
export const put = Effect.fnUntraced(function* (
  upload: StoredUpload,
  at: { readonly offset: number; readonly epoch: number } | { readonly number: number },
  size: number,
  tag: string | null = null
) {
  const blobId = yield* Fixtures.stage(upload)
  const part = { blobId, size, sha256: Sample.hash(), tag }
  const stored = yield* (yield* UploadRepository).addPart({
    upload: refOf(upload),
    at,
    part,
    now: Sample.at(),
    expiresAt: Sample.at(90_000)
  })
  return { blobId, part, stored }
})

export const assembly = (upload: StoredUpload, revision: number, numbers: ReadonlyArray<number>): Assembly => ({
  uploadId: upload.id,
  revision,
  blobId: upload.blobId,
  numbers,
  at: Sample.at(),
  answer: ({ name }) => JSON.stringify({ name })
})
