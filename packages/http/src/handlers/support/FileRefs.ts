/**
 * Conversions between the parameters of a path and the references that the core's services take.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { FileRef } from "@holdfast/core/files/FileRef"

interface FileParams extends BucketRef {
  /** The file's id, or `@` and its alias. */
  readonly fileId: string
}

/** The file that a path names, from decoded parameters. Drops the parameters that do not name the file. */
export const fromParams = ({ bucketId, fileId, tenantId }: FileParams): FileRef => ({ tenantId, bucketId, fileId })

/** The file that a path names, from the router's own parameters, which it types as possibly missing texts. */
export const fromRoute = ({
  bucketId = "",
  fileId = "",
  tenantId = ""
}: {
  readonly [name: string]: string | undefined
}): FileRef => ({ tenantId, bucketId, fileId })

/** The path segments, below the API's base path, of a bucket's collection of files. */
export const filesPath = ({ bucketId, tenantId }: BucketRef): ReadonlyArray<string> => [
  "tenants",
  tenantId,
  "buckets",
  bucketId,
  "files"
]
