/**
 * Keeps which segments of streams were found lately, as long as nothing in the database has changed, as `FileCache` does for rows of
 * files. Viewers request the same segments within seconds.
 */
import type { StreamFileRef, StreamLookup } from "@holdfast/core/conversions/ConversionRepository"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Freshness from "../Freshness.ts"

export interface LookupCache {
  /** Returns what a read would find now; undefined when the cache does not have it. */
  readonly find: (ref: StreamFileRef) => StreamLookup | undefined
  /** Returns the function that keeps what was found. It must be obtained before the read. */
  readonly keeper: (ref: StreamFileRef) => (found: StreamLookup) => void
}

/** Lookups, of some 700 bytes each with their keys. */
const maxKept = 4096

const keyOf = (
  { bucket: { bucketId, tenantId }, format, selector }: StreamFileRef,
  name: string | undefined
): string | undefined =>
  name !== undefined && selector._tag === "Id" && selector.folder === undefined && selector.at === undefined
    ? `${tenantId} ${bucketId} ${selector.id} ${format} ${name}`
    : undefined

/** Returns what all segments of one packaged rendition are found as; undefined for other files. They are cut from one index. */
const packagedName = ({ name }: StreamFileRef): string | undefined => {
  const segment = StreamFiles.parseSegment(name)
  return segment && `packaged ${segment.representation}`
}

/** The name under which a shared presentation is kept: all segments of HLS are found as its tracks. */
const sharedName = ({ name }: StreamFileRef): string | undefined =>
  StreamFiles.parseTransport(name) === undefined ? undefined : "shared"

/**
 * Returns the name under which a lookup is kept. A segment of a lower rendition that is found as an index is kept alone: others of that
 * rendition may be stored.
 */
const nameOf = (ref: StreamFileRef, { found }: StreamLookup): string | undefined => {
  if (found._tag === "Packaged") return StreamFiles.parseRung(ref.name) === undefined ? packagedName(ref) : ref.name
  return found._tag === "Shared" ? sharedName(ref) : ref.name
}

/** What is found of segments. */
const kinds: ReadonlySet<string> = new Set(["Segment", "Packaged", "Shared"])

/** Playlists are long, and those of a running conversion grow. */
const isKept = ({ conversion, found }: StreamLookup): boolean => conversion?.state === "READY" && kinds.has(found._tag)

/**
 * Makes an empty cache.
 *
 * @param version Returns a number that changes with each change of what reads see.
 */
export const make = (version: () => number): LookupCache => {
  const kept = new Map<string, StreamLookup>()
  const get = (key: string | undefined): StreamLookup | undefined => (key === undefined ? undefined : kept.get(key))
  const freshness = Freshness.make(version, () => kept.clear())
  return {
    find: (ref) => {
      freshness.update()
      return get(keyOf(ref, ref.name)) ?? get(keyOf(ref, packagedName(ref))) ?? get(keyOf(ref, sharedName(ref)))
    },
    keeper: (ref) => {
      const isFresh = freshness.start()
      return (found) => {
        const key = keyOf(ref, nameOf(ref, found))
        if (key === undefined || !isFresh() || !isKept(found)) return
        if (kept.size >= maxKept) kept.clear()
        kept.set(key, found)
      }
    }
  }
}
