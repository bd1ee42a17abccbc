/**
 * The API group `streams`: requests and removes conversions of video and audio for streaming.
 */
import { StreamRecord } from "@holdfast/core/conversions/StreamRecord"
import * as UnknownFields from "@holdfast/core/inputs/UnknownFields"
import * as PlaybackKey from "@holdfast/core/playback/PlaybackKeyRecord"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "./Authentication.ts"
import { params } from "./FilesApi.ts"
import { JsonResponse } from "./JsonMiddleware.ts"
import { describe, problems, text } from "./Operation.ts"

/** Body of a request for a conversion. */
export const RequestStream = Schema.Struct({
  mode: Schema.optional(Schema.Literals(["auto", "transcode"])).annotate({
    description:
      "`auto`, the default, copies tracks that all players support and encodes the others; `transcode` encodes all tracks."
  })
}).annotate({ identifier: "RequestStream" })

/** Body of a request for a playback key. */
export const PlaybackKeyPayload = UnknownFields.refuse(PlaybackKey.CreatePlaybackKey)

const applied = {
  "preference-applied": Schema.optional(Schema.String).annotate({
    description: "`wait=N`, if the request had this preference."
  })
}

/** What every operation on a stream with a body may respond with. */
const streamErrors = [
  "invalid_request",
  "not_found",
  "content_not_uploaded",
  "content_too_large",
  "unsupported_media_type",
  "not_a_video"
] as const

const requesting = {
  params,
  headers: {
    prefer: text("`wait=N` (RFC 7240): respond when the conversion is READY or FAILED, or after N seconds; at most 60.")
  },
  disableCodecs: true,
  payload: RequestStream,
  success: [
    HttpApiSchema.WithHeaders(StreamRecord, applied),
    HttpApiSchema.WithHeaders(StreamRecord.pipe(HttpApiSchema.status(202)), applied)
  ],
  error: problems(...streamErrors, "too_many_conversions", "transcoder_unavailable")
} as const

const about =
  "A content is converted once; another request changes nothing, unless the conversion FAILED: then it starts again. " +
  "`200` if the conversion is READY, otherwise `202`. The body is optional."

const requestHls = HttpApiEndpoint.post("requestHls", "/hls", requesting).annotateMerge(
  describe({ summary: "Convert to HLS", description: about, permission: "file:write" })
)

const requestDash = HttpApiEndpoint.post("requestDash", "/dash", requesting).annotateMerge(
  describe({ summary: "Convert to DASH", description: about, permission: "file:write" })
)

const keying = {
  params,
  disableCodecs: true,
  payload: PlaybackKeyPayload,
  success: PlaybackKey.PlaybackKeyRecord,
  error: problems(...streamErrors, "stream_not_converted", "content_encrypted", "conversion_failed", "content_damaged")
} as const

const aboutKeys =
  "Returns a playback key, with the address of the player page and the code that embeds it. A page plays the stream with it, without " +
  "an API key. Nothing is stored: the key works until it expires, the stream is removed or the content replaced, and only while the " +
  "caller may read the file. The body is optional."

const hlsKey = HttpApiEndpoint.post("hlsKey", "/hls/keys", keying).annotateMerge(
  describe({ summary: "Create a playback key for HLS", description: aboutKeys, permission: "file:read" })
)

const dashKey = HttpApiEndpoint.post("dashKey", "/dash/keys", keying).annotateMerge(
  describe({ summary: "Create a playback key for DASH", description: aboutKeys, permission: "file:read" })
)

const removing = {
  params,
  success: HttpApiSchema.NoContent,
  error: problems("not_found", "content_not_uploaded", "stream_not_converted")
} as const

const removeHls = HttpApiEndpoint.delete("removeHls", "/hls", removing).annotateMerge(
  describe({ summary: "Stop and remove the HLS conversion", permission: "file:write" })
)

const removeDash = HttpApiEndpoint.delete("removeDash", "/dash", removing).annotateMerge(
  describe({ summary: "Stop and remove the DASH conversion", permission: "file:write" })
)

export class StreamsApi extends HttpApiGroup.make("streams")
  .add(requestHls, requestDash, hlsKey, dashKey)
  .middleware(JsonResponse)
  .add(removeHls, removeDash)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/files/:fileId/streams")
  .annotate(OpenApi.Description, "Conversions of video and audio for streaming.") {}
