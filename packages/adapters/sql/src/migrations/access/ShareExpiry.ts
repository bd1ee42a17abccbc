/**
 * The index by which shares are found that have expired, of all tenants.
 */
import * as Migration from "../Migration.ts"

export const shareExpiry: ReadonlyArray<Migration.Step> = [
  Migration.index({ name: "share_end", on: "share (expires_at) WHERE expires_at IS NOT NULL" })
]
