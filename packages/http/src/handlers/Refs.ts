/**
 * From the parameters of a path to what the core calls them, and back.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { FileRef } from "@holdfast/core/files/FileRef"

interface FileParams extends BucketRef {
  readonly fileId: string
}

/** The file that a path names, by id or `@alias`. */
export const file = ({ bucketId, fileId, tenantId }: FileParams): FileRef => ({ tenantId, bucketId, fileId: fileId })

/** The same, from a route's own parameters, which are texts that may be missing. */
export const ofRoute = ({
  bucketId = "",
  fileId = "",
  tenantId = ""
}: {
  readonly [name: string]: string | undefined
}): FileRef => ({ tenantId, bucketId, fileId: fileId })

/** The way to a bucket's files. */
export const segments = ({ bucketId, tenantId }: BucketRef): ReadonlyArray<string> => [
  "tenants",
  tenantId,
  "buckets",
  bucketId,
  "files"
]
