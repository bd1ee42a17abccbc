/**
 * The API group `streams`: requests and removes conversions.
 */
import { Conversions } from "@holdfast/core/conversions/Conversions"
import { StreamRecord } from "@holdfast/core/conversions/StreamRecord"
import type { FileRef } from "@holdfast/core/files/FileRef"
import * as Input from "@holdfast/core/Input"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Schema from "effect/Schema"
import { Api } from "../contract/Api.ts"
import { RequestStream } from "../contract/StreamsApi.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as PreferHeader from "../transfer/request/PreferHeader.ts"
import { asActor } from "./support/AsActor.ts"
import * as FileRefs from "./support/FileRefs.ts"
import * as JsonNegotiation from "./support/JsonNegotiation.ts"

const decode = Input.decoder(RequestStream)
const encode = Schema.encodeSync(StreamRecord)

/** Whether bytes are white space only (RFC 8259, section 2), or none. */
const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte <= 0x20)

/** Reads the optional body. An empty body counts as none, with any `Content-Type`. */
const readOptions = Effect.fnUntraced(function* (request: HttpServerRequest) {
  const bytes = yield* JsonNegotiation.readBytes(request)
  if (isBlank(bytes)) return {}
  yield* JsonNegotiation.checkRequest
  return yield* Effect.catch(Effect.flatMap(JsonNegotiation.parse(bytes), decode), ProblemResponse.fail)
})

export const layer = HttpApiBuilder.group(
  Api,
  "streams",
  Effect.fnUntraced(function* (handlers) {
    const conversions = yield* Conversions

    const request = (http: HttpServerRequest, file: FileRef, format: Format) =>
      Effect.gen(function* () {
        const wait = PreferHeader.parseWait(http.headers["prefer"])
        const { mode } = yield* readOptions(http)
        const record = yield* asActor((actor) =>
          conversions.request(actor, file, format, { mode, wait: wait?.duration })
        )
        return HttpServerResponse.jsonUnsafe(encode(record), {
          status: record.state === "READY" ? 200 : 202,
          headers: wait === undefined ? {} : { "preference-applied": wait.applied }
        })
      })

    const remove = (file: FileRef, format: Format) => asActor((actor) => conversions.cancel(actor, file, format))

    return handlers
      .handleRaw("requestHls", ({ params, request: http }) => request(http, FileRefs.fromParams(params), "hls"))
      .handleRaw("requestDash", ({ params, request: http }) => request(http, FileRefs.fromParams(params), "dash"))
      .handle("removeHls", ({ params }) => remove(FileRefs.fromParams(params), "hls"))
      .handle("removeDash", ({ params }) => remove(FileRefs.fromParams(params), "dash"))
  })
)
