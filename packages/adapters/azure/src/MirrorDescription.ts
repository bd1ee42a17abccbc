/**
 * Descriptions in Azure's terms.
 */
import type { BlobHTTPHeaders } from "@azure/storage-blob"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"

/** Azure signs what stands in a header as text of ASCII; anything else would look like a wrong key. */
const printable = /^[\u0020-\u007e]*$/

/** Why Azure cannot hold a description; undefined when it can. */
export const fault = ({ metadata, ...headers }: ObjectDescription): string | undefined =>
  [...Object.values(headers), ...Object.values(metadata)].every((value) => printable.test(value ?? ""))
    ? undefined
    : "Azure takes only printable ASCII characters in headers and metadata."

export const headers = (description: ObjectDescription): BlobHTTPHeaders => {
  const { cacheControl, contentDisposition, contentEncoding, contentLanguage, contentType } = description
  return {
    blobContentType: contentType,
    ...(cacheControl === undefined ? {} : { blobCacheControl: cacheControl }),
    ...(contentDisposition === undefined ? {} : { blobContentDisposition: contentDisposition }),
    ...(contentEncoding === undefined ? {} : { blobContentEncoding: contentEncoding }),
    ...(contentLanguage === undefined ? {} : { blobContentLanguage: contentLanguage })
  }
}

/** Azure's names of metadata are identifiers of C#, which have no hyphens. */
export const metadata = (description: ObjectDescription): Record<string, string> =>
  Object.fromEntries(Object.entries(description.metadata).map(([name, value]) => [name.replaceAll("-", "_"), value]))
