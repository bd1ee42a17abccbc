/**
 * An object's description in the fields of the JSON API.
 */
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import type * as Resource from "../client/Resource.ts"

const headers = ["cacheControl", "contentDisposition", "contentEncoding", "contentLanguage"] as const

/** Returns the fields of a new object. */
export const toFields = (description: ObjectDescription): Resource.Fields => ({
  contentType: description.contentType,
  metadata: description.metadata,
  ...Object.fromEntries(
    headers.flatMap((header) => (description[header] === undefined ? [] : [[header, description[header]]]))
  )
})

/** Returns a PATCH that replaces every field of an object: it removes the fields that the description does not have. */
export const toPatch = (description: ObjectDescription, stored: Resource.Stored): Resource.Fields => ({
  contentType: description.contentType,
  ...Object.fromEntries(headers.map((header) => [header, description[header] ?? null])),
  metadata: {
    ...Object.fromEntries(Object.keys(stored.metadata).map((name) => [name, null])),
    ...description.metadata
  }
})
