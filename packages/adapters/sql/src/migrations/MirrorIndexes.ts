/**
 * Indexes with which the cost of a statement on mirrors does not grow with the files that are copied, nor with idle mirrors.
 */
import * as Migration from "./Migration.ts"

export const mirrorIndexes: ReadonlyArray<Migration.Step> = [
  // Mirrors with work other than pending files.
  Migration.index({
    name: "mirror_work",
    on: "mirror (id) WHERE removed = 1 OR filling = 1 OR sync_wanted > sync_done"
  })
]
