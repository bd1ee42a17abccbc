/**
 * Converts what the core's services open to the contents that `SendContent` sends.
 */
import type { Download } from "@holdfast/core/files/Downloads"
import type { Reader } from "@holdfast/core/files/links/Link"
import * as DateTime from "effect/DateTime"
import type { Disposition } from "../../transfer/response/ContentDisposition.ts"
import type * as SendContent from "../../transfer/response/SendContent.ts"

/** Returns the file name that a link states; undefined for another reader, and for a link without one. */
export const nameFor = (reader: Reader): string | undefined =>
  reader._tag === "LinkGrant" ? (reader.name ?? undefined) : undefined

/**
 * @param name The name under which a client saves the content; that of the file when absent.
 * @param isPublic Whether it is sent to a reader without a key.
 */
export const download = (
  { content, file, ...stored }: Download,
  disposition: Disposition | undefined,
  name: string = file.name,
  isPublic = false
): SendContent.Content => ({
  isPublic,
  etag: content.etag,
  lastModified: DateTime.toEpochMillis(content.storedAt),
  contentType: content.contentType,
  size: content.size,
  headers: file.headers,
  name,
  disposition,
  localFile: stored.localFile,
  localParts: stored.localParts,
  read: stored.read,
  check: stored.check,
  reportDamage: stored.reportDamage
})
