/**
 * Responses with the files of a stream: playlists with a key in every address, and segments as contents.
 */
import * as ContentSecurity from "@holdfast/core/files/ContentSecurity"
import type { FileRef } from "@holdfast/core/files/FileRef"
import type { OpenedPlaylist, OpenedSegment } from "@holdfast/core/playback/OpenedStream"
import type { PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import type * as SendContent from "./SendContent.ts"
import * as StreamAddresses from "./StreamAddresses.ts"

const playlistHeaders = { "cache-control": "private, no-store", "x-content-type-options": "nosniff" }

/** Responds with the current text of a playlist or manifest, in which every address has the viewer's playback key, if it needs one. */
export const playlist = (
  playbackKeys: PlaybackKeys["Service"],
  viewer: Viewer,
  { bucketId, tenantId }: FileRef,
  format: Format,
  { contentType, conversionId, fileId, name, text }: OpenedPlaylist
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const respond = (body: string) =>
    HttpServerResponse.text(body, {
      contentType,
      headers: { ...playlistHeaders, "content-security-policy": ContentSecurity.policyOf(contentType) }
    })
  if (viewer._tag === "Anonymous") return Effect.succeed(respond(text))
  return Effect.map(playbackKeys.issue(viewer, { tenantId, bucketId, fileId, format, conversionId }), ({ key }) =>
    respond(StreamAddresses.addKey(name, text, Redacted.value(key)))
  )
}

/**
 * An address with a playback key belongs to one conversion, whose files do not change once it is READY: a client may cache
 * them permanently. At an address with another key there may be another content later, so that a client must revalidate.
 * Shared caches must not store segments.
 */
const cacheControl = (viewer: Viewer, { state }: OpenedSegment): string =>
  viewer._tag === "Anonymous"
    ? "public, no-cache"
    : viewer._tag === "PlaybackGrant" && state === "READY"
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
  check: segment.check,
  reportDamage: segment.reportDamage
})
