/**
 * Responses with playlists and manifests, which players of a growing stream request every few seconds.
 */
import * as ContentSecurity from "@holdfast/core/files/ContentSecurity"
import type { FileRef } from "@holdfast/core/files/FileRef"
import type { OpenedPlaylist } from "@holdfast/core/playback/OpenedStream"
import type { PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import { hash } from "node:crypto"
import * as Vary from "../../problems/Vary.ts"
import * as Conditionals from "../request/Conditionals.ts"
import * as CompressedTexts from "./CompressedTexts.ts"
import * as ContentCodings from "./ContentCodings.ts"
import * as StreamAddresses from "./StreamAddresses.ts"

/** A playlist contains keys. A client may keep it, as it keeps the addresses of segments, but compares it at each request. */
const playlistCache = (viewer: Viewer): string =>
  viewer._tag === "Anonymous" ? "public, no-cache" : "private, no-cache"

/** Returns what names a text with a key in every address. The key names the file, the format and the conversion. */
const tagOf = (text: string, key: string): string => hash("sha256", `${key}\n${text}`, "base64url").slice(0, 22)

interface PlaylistRequest {
  readonly request: HttpServerRequest
  readonly viewer: Viewer
  readonly file: FileRef
  readonly format: Format
  readonly playlist: OpenedPlaylist
}

/** Bytes of the compressed playlists that a process keeps. */
const compressedBytes = 16 * 2 ** 20

/**
 * Makes the function that responds with the current text of a playlist or manifest, in which every address has the viewer's playback
 * key, if it needs one. The text is compressed if the client accepts that, once for each key; an unchanged one is `304`.
 */
export const make = (playbackKeys: PlaybackKeys["Service"]) => {
  const compressed = CompressedTexts.make(compressedBytes)

  const respond = (
    request: HttpServerRequest,
    viewer: Viewer,
    { contentType, name, text }: OpenedPlaylist,
    key: string
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const coding = ContentCodings.choose(request.headers["accept-encoding"])
    const tag = tagOf(text, key)
    const etag = ContentCodings.etagOf(tag, coding)
    const headers = {
      etag,
      "cache-control": playlistCache(viewer),
      "content-security-policy": ContentSecurity.policyOf(contentType),
      vary: `${Vary.keyed}, Accept-Encoding`,
      "x-content-type-options": "nosniff"
    }
    if (Conditionals.isNotModified(request.headers, etag)) {
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
    }
    const body = () => (key === "" ? text : StreamAddresses.addKey(name, text, key))
    if (coding === "identity") return Effect.sync(() => HttpServerResponse.text(body(), { contentType, headers }))
    return Effect.map(
      Effect.promise(() => compressed.encode(tag, coding, body)),
      (bytes) =>
        HttpServerResponse.uint8Array(bytes, {
          contentType,
          headers: { ...headers, ...ContentCodings.headersOf(coding) }
        })
    )
  }

  return ({ file: { bucketId, tenantId }, format, playlist, request, viewer }: PlaylistRequest) => {
    if (viewer._tag === "Anonymous") return respond(request, viewer, playlist, "")
    const { conversionId, fileId } = playlist
    return Effect.flatMap(playbackKeys.issue(viewer, { tenantId, bucketId, fileId, format, conversionId }), ({ key }) =>
      respond(request, viewer, playlist, Redacted.value(key))
    )
  }
}
