/**
 * What of a stream is sent: playlists with a key in every address, and segments as any content is.
 */
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

/** Sends a playlist or manifest as it stands, with the viewer's playback key. */
export const playlist = (
  playbackKeys: PlaybackKeys["Service"],
  viewer: Viewer,
  { bucketId, tenantId }: FileRef,
  format: Format,
  { contentType, conversionId, fileId, name, text }: OpenedPlaylist
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(playbackKeys.issue(viewer, { tenantId, bucketId, fileId, format, conversionId }), ({ key }) =>
    HttpServerResponse.text(StreamAddresses.addKey(name, text, Redacted.value(key)), {
      contentType,
      headers: playlistHeaders
    })
  )

/**
 * Addresses with a playback key are of one conversion alone, and once that is READY nothing in it changes: who has such a
 * segment may keep it. Others are asked for anew, since another content may be there by then. Shared caches keep none.
 */
const cacheControl = (viewer: Viewer, { state }: OpenedSegment): string =>
  viewer._tag === "PlaybackGrant" && state === "READY" ? "private, max-age=31536000, immutable" : "private, no-cache"

/** A segment or a still as a content to be sent, whole or in ranges. */
export const segmentContent = (viewer: Viewer, segment: OpenedSegment): SendContent.Content => ({
  etag: segment.etag,
  lastModified: DateTime.toEpochMillis(segment.storedAt),
  contentType: segment.contentType,
  size: segment.size,
  headers: [{ name: "cache-control", value: cacheControl(viewer, segment) }],
  name: segment.name.slice(segment.name.lastIndexOf("/") + 1),
  disposition: "inline",
  localFile: segment.localFile,
  read: segment.read
})
