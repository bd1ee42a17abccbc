/**
 * Reads initialization segments of lower renditions. Keeps those that were read last.
 */
import type * as Effect from "effect/Effect"
import * as StoredParts from "../../conversions/internal/StoredParts.ts"
import type { ContentDamaged } from "../../files/FileErrors.ts"
import * as StoredRung from "../../packaging/internal/StoredRung.ts"
import type * as SourceReader from "../../packaging/SourceReader.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import * as MadeSegments from "./MadeSegments.ts"
import * as RecentlyUsed from "../../packaging/internal/RecentlyUsed.ts"

const keptInits = 512

/** Makes what reads them. One that is none is reported as damaged. */
export const make = () => {
  const kept = RecentlyUsed.make<SourceReader.Initialization>(keptInits)
  return (part: StoredParts.StoredPart): Effect.Effect<SourceReader.Initialization, BlobError | ContentDamaged> => {
    const read = StoredRung.readInit(StoredParts.sourceOf(part))
    return kept.get(part.blobId, MadeSegments.orDamaged(part.stored.reportDamage)(read))
  }
}
