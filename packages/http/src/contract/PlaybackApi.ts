/**
 * The API group `playback`: reads converted video and audio. These routes do not use Effect's `HttpApiBuilder`. They accept
 * playback keys as well as API keys.
 */
import { StreamRecord } from "@holdfast/core/conversions/StreamRecord"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { params } from "./FilesApi.ts"
import { describe, problems, text } from "./Operation.ts"

const permission = "file:read"

const missing = ["not_found", "content_not_uploaded", "stream_not_converted"] as const
const failed = ["not_a_video", "content_encrypted", "conversion_failed"] as const

const list = HttpApiEndpoint.get("list", "/", {
  params,
  success: Schema.Struct({ items: Schema.Array(StreamRecord) }),
  error: problems("not_found")
}).annotateMerge(
  describe({
    summary: "List the conversions of a file's content",
    description: "With a playback key: only the conversion of this key.",
    permission
  })
)

const ofType = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

const keys =
  "Every address in it has a playback key. The key permits reading this stream for some hours, and only while the caller " +
  "may read the file."

/** Texts that may grow. `304` for a client that names their entity tag in `If-None-Match`. */
const growing = (contentType: string) =>
  ({ success: [ofType(contentType), HttpApiSchema.Empty(304)], error: problems(...missing, ...failed) }) as const

const playlist = HttpApiEndpoint.get("playlist", "/hls/playlist.m3u8", {
  params,
  ...growing("application/vnd.apple.mpegurl")
}).annotateMerge(
  describe({
    summary: "Read the HLS playlist",
    description: `While the conversion runs, the request waits for the first segment, and the playlist grows (\`EVENT\`). ${keys}`,
    permission
  })
)

const manifest = HttpApiEndpoint.get("manifest", "/dash/manifest.mpd", {
  params,
  ...growing("application/dash+xml")
}).annotateMerge(
  describe({
    summary: "Read the DASH manifest",
    description: `While the conversion runs, the request waits until it has finished, and gets \`503\` if that takes long. ${keys}`,
    permission
  })
)

const served = {
  etag: Schema.String,
  "last-modified": Schema.String,
  "accept-ranges": Schema.Literal("bytes"),
  "cache-control": Schema.String
}

/** Files that never change, with ranges and conditions like the contents of files. */
const unchanging = {
  headers: {
    range: text("`bytes=0-99`, `bytes=100-`, `bytes=-100`, or several."),
    "if-none-match": text("The entity tags of the client's copies.")
  },
  success: [
    HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), served),
    HttpApiSchema.WithHeaders(Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array(), HttpApiSchema.status(206)), served),
    HttpApiSchema.WithHeaders(HttpApiSchema.Empty(304), served)
  ],
  error: problems(...missing, ...failed, "precondition_failed", "range_not_satisfiable", "content_damaged")
} as const

const name = Schema.String.annotate({ description: "As in the playlist or manifest." })

const hlsFile = HttpApiEndpoint.get("hlsFile", "/hls/:name", {
  ...unchanging,
  params: { ...params, name }
}).annotateMerge(
  describe({
    summary: "Read an HLS segment, or the playlist of one rendition",
    description: "The best rendition's segments are `index0.ts`, `index1.ts`, …",
    permission
  })
)

const hlsRenditionFile = HttpApiEndpoint.get("hlsRenditionFile", "/hls/:rendition/:name", {
  ...unchanging,
  params: { ...params, rendition: Schema.String.annotate({ description: "Such as `480p`." }), name }
}).annotateMerge(describe({ summary: "Read an HLS segment of a lower rendition", permission }))

const dashFile = HttpApiEndpoint.get("dashFile", "/dash/:name", {
  ...unchanging,
  params: { ...params, name }
}).annotateMerge(describe({ summary: "Read a DASH segment", permission }))

const poster = HttpApiEndpoint.get("poster", "/poster.jpg", { ...unchanging, params }).annotateMerge(
  describe({
    summary: "Read the poster of a video",
    description:
      "A JPEG: the poster that was set, or a frame, which the first conversion makes after its first segments.",
    permission
  })
)

const parameter = (description: string) => Schema.optional(Schema.String).annotate({ description })

const page = {
  params,
  query: {
    controls: parameter("Whether to show controls: `true` or `false`. Default: `true`."),
    autoplay: parameter("Whether to play without a click; muted if the browser allows nothing else."),
    muted: parameter("Whether to start muted."),
    repeat: parameter("Whether to repeat at the end."),
    width: parameter("Pixels."),
    height: parameter("Pixels."),
    seek: parameter("Where to start: seconds, or `1h2m3s`."),
    speed: parameter("From 0.25 to 4; 1 is normal speed.")
  },
  success: ofType("text/html"),
  error: problems(...missing, ...failed)
} as const

const embedded =
  "A page for an `iframe`. A client that accepts HTML also gets problems as a page. Invalid parameters are ignored."

const hlsPlayer = HttpApiEndpoint.get("hlsPlayer", "/hls", page).annotateMerge(
  describe({ summary: "Get a player page for HLS", description: embedded, permission })
)

const dashPlayer = HttpApiEndpoint.get("dashPlayer", "/dash", page).annotateMerge(
  describe({ summary: "Get a player page for DASH", description: embedded, permission })
)

export class PlaybackApi extends HttpApiGroup.make("playback")
  .add(list, hlsPlayer, playlist, hlsFile, hlsRenditionFile, dashPlayer, manifest, dashFile, poster)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files/:fileId/streams")
  .annotate(OpenApi.Description, "Playlists, segments and player pages of converted video and audio.") {}
