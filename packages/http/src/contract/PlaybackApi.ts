/**
 * Converted video and audio: playing. These routes are served past Effect's `HttpApiBuilder`, and take playback keys too.
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

const absent = ["not_found", "content_not_uploaded", "stream_not_converted"] as const
const failed = ["not_a_video", "conversion_failed"] as const

const list = HttpApiEndpoint.get("list", "/", {
  params,
  success: Schema.Struct({ items: Schema.Array(StreamRecord) }),
  error: problems("not_found")
}).annotateMerge(
  describe({
    summary: "List the conversions of a file's content",
    description: "With a playback key: the one that it is for.",
    permission
  })
)

const ofType = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

const keys =
  "Every address in it carries a playback key: good for reading this stream alone, for some hours, and only as long as the " +
  "caller may."

const playlist = HttpApiEndpoint.get("playlist", "/hls/playlist.m3u8", {
  params,
  success: ofType("application/vnd.apple.mpegurl"),
  error: problems(...absent, ...failed)
}).annotateMerge(
  describe({
    summary: "Read the HLS playlist",
    description: `While the conversion runs, it waits for the first segment and then grows (\`EVENT\`). ${keys}`,
    permission
  })
)

const manifest = HttpApiEndpoint.get("manifest", "/dash/manifest.mpd", {
  params,
  success: ofType("application/dash+xml"),
  error: problems(...absent, ...failed)
}).annotateMerge(
  describe({
    summary: "Read the DASH manifest",
    description: `While the conversion runs, it waits for its end, and answers \`503\` when that takes long. ${keys}`,
    permission
  })
)

const served = {
  etag: Schema.String,
  "last-modified": Schema.String,
  "accept-ranges": Schema.Literal("bytes"),
  "cache-control": Schema.String
}

/** What never changes: ranges and conditions as with any content. */
const unchanging = {
  headers: {
    range: text("`bytes=0-99`, `bytes=100-`, `bytes=-100`, or several."),
    "if-none-match": text("The entity tags that the caller has.")
  },
  success: [
    HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), served),
    HttpApiSchema.WithHeaders(Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array(), HttpApiSchema.status(206)), served),
    HttpApiSchema.WithHeaders(HttpApiSchema.Empty(304), served)
  ],
  error: problems(...absent, ...failed, "precondition_failed", "range_not_satisfiable")
} as const

const name = Schema.String.annotate({ description: "As the playlist or manifest has it." })

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
    summary: "Read a still from the video",
    description: "It is made with the first conversion, once that plays.",
    permission
  })
)

const parameter = (description: string) => Schema.optional(Schema.String).annotate({ description })

const page = {
  params,
  query: {
    controls: parameter("Whether it has controls: `true` or `false`. Default: `true`."),
    autoplay: parameter("Whether it plays by itself, silently where the browser allows no more."),
    muted: parameter("Whether it begins silently."),
    repeat: parameter("Whether it begins again at the end."),
    width: parameter("Pixels."),
    height: parameter("Pixels."),
    seek: parameter("Where it begins: seconds, or `1h2m3s`."),
    speed: parameter("From 0.25 to 4; 1 is the speed of the recording.")
  },
  success: ofType("text/html"),
  error: problems(...absent, ...failed)
} as const

const embedded =
  "A page for an `iframe`. Who accepts HTML gets what goes wrong as a page, too. Parameters that make no sense are ignored."

const hlsPlayer = HttpApiEndpoint.get("hlsPlayer", "/hls", page).annotateMerge(
  describe({ summary: "Play by HLS", description: embedded, permission })
)

const dashPlayer = HttpApiEndpoint.get("dashPlayer", "/dash", page).annotateMerge(
  describe({ summary: "Play by DASH", description: embedded, permission })
)

export class PlaybackApi extends HttpApiGroup.make("playback")
  .add(list, hlsPlayer, playlist, hlsFile, hlsRenditionFile, dashPlayer, manifest, dashFile, poster)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files/:fileId/streams")
  .annotate(OpenApi.Description, "Video and audio for players: playing.") {}
