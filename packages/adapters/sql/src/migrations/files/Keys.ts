/**
 * The index of contents by their whole keys, in which the keys of a folder are among the names of the folder above. Only a file
 * without content has no type: reservations are not in the index. `blob_id` would be the plainer condition, but PostgreSQL then could
 * not store a new content of a file without touching the indexes (HOT).
 */
import * as Migration from "../Migration.ts"

export const keys: ReadonlyArray<Migration.Step> = [
  Migration.index({ name: "file_key", on: "file (bucket_id, (substr(path, 2) || name)) WHERE type IS NOT NULL" })
]
