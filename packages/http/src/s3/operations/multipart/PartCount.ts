/**
 * The number of parts in which an object came.
 */
import type { Download } from "@holdfast/core/files/Downloads"
import * as EntityTag from "../EntityTag.ts"

/**
 * Returns the number of parts of an object; undefined for one that did not come in parts. A copy has the entity tag of its source, but its
 * content is not stored in parts: it is one part.
 */
export const of = ({ content, parts }: Pick<Download, "content" | "parts">): number | undefined => {
  const stated = EntityTag.partsOf(EntityTag.of(content.etag))
  return stated === undefined || parts !== undefined ? stated : 1
}
