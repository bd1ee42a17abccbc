/**
 * Responses with segments and posters of a stream, as contents.
 */
import type { OpenedSegment } from "@holdfast/core/playback/OpenedStream"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as DateTime from "effect/DateTime"
import type * as SendContent from "./SendContent.ts"

/**
 * An address with a playback key belongs to one conversion, whose files do not change once it is READY: a client may cache
 * them permanently. At an address with another key there may be another content later, so that a client must revalidate.
 * Shared caches must not store segments. A poster may be set at any time.
 */
const cacheControl = (viewer: Viewer, { name, state }: OpenedSegment): string =>
  viewer._tag === "Anonymous"
    ? "public, no-cache"
    : viewer._tag === "PlaybackGrant" && state === "READY" && name !== StreamFiles.poster
      ? "private, max-age=31536000, immutable"
      : "private, no-cache"

/** Returns a segment or poster as a content, which is sent whole or in ranges. */
export const segmentContent = (viewer: Viewer, segment: OpenedSegment): SendContent.Content => ({
  isPublic: viewer._tag === "Anonymous",
  etag: segment.etag,
  lastModified: DateTime.toEpochMillis(segment.storedAt),
  contentType: segment.contentType,
  size: segment.size,
  headers: [{ name: "cache-control", value: cacheControl(viewer, segment) }],
  name: segment.name.slice(segment.name.lastIndexOf("/") + 1),
  disposition: "inline",
  localFile: segment.localFile,
  read: segment.read,
  readTransient: segment.readTransient,
  check: segment.check,
  reportDamage: segment.reportDamage
})
