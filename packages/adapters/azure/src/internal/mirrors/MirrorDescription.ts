/**
 * An object's description in the fields of Azure's requests.
 */
import type { BlobHTTPHeaders } from "@azure/storage-blob"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import type { Fields } from "../uploads/BlockList.ts"

/** Azure's signatures cover headers as ASCII text. Any other character would look like a wrong key. */
const printable = /^[\u0020-\u007e]*$/

/** Returns the reason why Azure cannot store a description, as a sentence; undefined for a valid one. */
export const findFault = ({ metadata, ...headers }: ObjectDescription): string | undefined =>
  [...Object.values(headers), ...Object.values(metadata)].every((value) => printable.test(value ?? ""))
    ? undefined
    : "Azure takes only printable ASCII characters in headers and metadata."

/** Returns the headers of a request that writes an object or changes its description. */
export const toHeaders = (description: ObjectDescription): BlobHTTPHeaders => {
  const { cacheControl, contentDisposition, contentEncoding, contentLanguage, contentType } = description
  return {
    blobContentType: contentType,
    ...(cacheControl === undefined ? {} : { blobCacheControl: cacheControl }),
    ...(contentDisposition === undefined ? {} : { blobContentDisposition: contentDisposition }),
    ...(contentEncoding === undefined ? {} : { blobContentEncoding: contentEncoding }),
    ...(contentLanguage === undefined ? {} : { blobContentLanguage: contentLanguage })
  }
}

/** Azure's metadata names are C# identifiers, which have no hyphens. */
export const toMetadata = (description: ObjectDescription): Record<string, string> =>
  Object.fromEntries(Object.entries(description.metadata).map(([name, value]) => [name.replaceAll("-", "_"), value]))

/** Returns the fields of an upload. */
export const toFields = (description: ObjectDescription): Fields => ({
  blobHTTPHeaders: toHeaders(description),
  metadata: toMetadata(description)
})
