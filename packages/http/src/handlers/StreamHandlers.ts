/**
 * The API group `streams`: requests and removes conversions, and creates the keys with which pages play them.
 */
import { Conversions } from "@holdfast/core/conversions/Conversions"
import { StreamRecord } from "@holdfast/core/conversions/StreamRecord"
import type { FileRef } from "@holdfast/core/files/FileRef"
import * as Input from "@holdfast/core/Input"
import * as KeysForPages from "@holdfast/core/playback/KeysForPages"
import { PlaybackKeyRecord } from "@holdfast/core/playback/PlaybackKeyRecord"
import type { PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import type { Streams } from "@holdfast/core/playback/Streams"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Schema from "effect/Schema"
import { Api } from "../contract/Api.ts"
import { PlaybackKeyPayload, RequestStream } from "../contract/StreamsApi.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as PreferHeader from "../transfer/request/PreferHeader.ts"
import { asActor } from "./support/AsActor.ts"
import * as FileRefs from "./support/FileRefs.ts"
import * as JsonNegotiation from "./support/JsonNegotiation.ts"
import * as PublicAddress from "./support/PublicAddress.ts"

const decode = Input.decoder(RequestStream)
const checkKey = Input.decoder(PlaybackKeyPayload)
const encodeKey = Schema.encodeSync(PlaybackKeyRecord)
const encode = Schema.encodeSync(StreamRecord)

/** Whether bytes are white space only (RFC 8259, section 2), or none. */
const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte <= 0x20)

/** Reads the optional body, not decoded. An empty body counts as `{}`, with any `Content-Type`. */
const readBody = Effect.fnUntraced(function* (request: HttpServerRequest) {
  const bytes = yield* JsonNegotiation.readBytes(request)
  if (isBlank(bytes)) return {}
  yield* JsonNegotiation.checkRequest
  return yield* Effect.catch(JsonNegotiation.parse(bytes), ProblemResponse.fail)
})

export const layer = HttpApiBuilder.group(
  Api,
  "streams",
  Effect.fnUntraced(function* (handlers) {
    const conversions = yield* Conversions
    const playback = yield* Effect.context<PlaybackKeys | Streams>()
    const apiUrl = yield* PublicAddress.makeApiUrl

    const request = Effect.fnUntraced(function* (http: HttpServerRequest, file: FileRef, format: Format) {
      const wait = PreferHeader.parseWait(http.headers["prefer"])
      const input = yield* readBody(http)
      const { mode } = yield* Effect.catch(decode(input), ProblemResponse.fail)
      const record = yield* asActor((actor) => conversions.request(actor, file, format, { mode, wait: wait?.duration }))
      return HttpServerResponse.jsonUnsafe(encode(record), {
        status: record.state === "READY" ? 200 : 202,
        headers: wait === undefined ? {} : { "preference-applied": wait.applied }
      })
    })

    const createKey = Effect.fnUntraced(function* (http: HttpServerRequest, file: FileRef, format: Format) {
      const input = yield* readBody(http)
      yield* Effect.catch(checkKey(input), ProblemResponse.fail)
      const base = yield* apiUrl
      const created = yield* asActor((actor) =>
        Effect.provideContext(KeysForPages.create(actor, file, format, input, base), playback)
      )
      return HttpServerResponse.jsonUnsafe(encodeKey(created))
    })

    const remove = (file: FileRef, format: Format) => asActor((actor) => conversions.cancel(actor, file, format))

    return handlers
      .handleRaw("requestHls", ({ params, request: http }) => request(http, FileRefs.fromParams(params), "hls"))
      .handleRaw("requestDash", ({ params, request: http }) => request(http, FileRefs.fromParams(params), "dash"))
      .handleRaw("hlsKey", ({ params, request: http }) => createKey(http, FileRefs.fromParams(params), "hls"))
      .handleRaw("dashKey", ({ params, request: http }) => createKey(http, FileRefs.fromParams(params), "dash"))
      .handle("removeHls", ({ params }) => remove(FileRefs.fromParams(params), "hls"))
      .handle("removeDash", ({ params }) => remove(FileRefs.fromParams(params), "dash"))
  })
)
