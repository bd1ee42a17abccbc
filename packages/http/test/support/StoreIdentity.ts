/**
 * The identity of a blob store, which is no content.
 */
import * as BlobKey from "@holdfast/core/storage/BlobKey"

/** Whether a path or a key is that of an identity. */
export const isIdentity = (path: string): boolean => path.includes(BlobKey.identityPrefix)
