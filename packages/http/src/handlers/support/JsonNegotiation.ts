/**
 * Checks the requests of operations with JSON bodies. Before the body is read: its media type and declared length, and the
 * media types that the client accepts (RFC 9110, section 12). Before it is decoded: its encoding, and its bounds.
 */
import * as Bounds from "@holdfast/core/Bounds"
import { InvalidRequest } from "@holdfast/core/Errors"
import * as UnknownFields from "@holdfast/core/inputs/UnknownFields"
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { JsonRequest, JsonResponse, maxJsonBytes } from "../../contract/JsonMiddleware.ts"
import type * as Problem from "../../problems/Problem.ts"
import * as ProblemResponse from "../../problems/ProblemResponse.ts"
import * as BodyTurns from "../../incoming/BodyTurns.ts"
import * as CollectedBodies from "../../incoming/CollectedBodies.ts"
import * as NodeRequest from "../../incoming/NodeRequest.ts"
import * as RequestTurns from "../../incoming/RequestTurns.ts"
import * as JsonText from "../../transfer/request/JsonText.ts"
import * as BodySource from "../../transfer/upload/BodySource.ts"
import { declaredLength } from "../../transfer/upload/RequestBody.ts"

const jsonType = /^[ \t]*application\/json[ \t]*(?:;|$)/i

const tooLarge = {
  code: "content_too_large",
  message: `The body is larger than ${maxJsonBytes} bytes, the most that a JSON body may have.`
} as const
const wrongType = { code: "unsupported_media_type", message: "The Content-Type must be application/json." } as const
const notAccepted = {
  code: "not_acceptable",
  message: "The response is application/json, which the Accept header excludes."
} as const

const limit = ByteSize.bytes(maxJsonBytes)

/** Fails when the request declares a media type other than JSON, or too large a body. Without a type, JSON is assumed. */
export const checkRequest = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request): Effect.Effect<void, Problem.AnyOf<"content_too_large" | "unsupported_media_type">> =>
    !jsonType.test(request.headers["content-type"] ?? "application/json")
      ? ProblemResponse.fail(wrongType)
      : (declaredLength(request) ?? 0) > maxJsonBytes
        ? ProblemResponse.fail(tooLarge)
        : Effect.void
)

/** The bytes of a larger body wait for a turn of the event loop: to check and parse 1 MiB takes some 10 to 20 milliseconds. */
const maxUnqueuedBytes = 64 * 1024

const awaitTurn = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
  BodyTurns.wait(RequestTurns.ownerOf(request.url, Option.getOrUndefined(request.remoteAddress)))

const readBuffer = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Uint8Array> =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, limit),
    // As a defect: `ProblemResponse.fromCause` translates the errors of Effect's HTTP modules, defects included.
    Effect.orDie,
    Effect.map((buffer) => new Uint8Array(buffer))
  )

/** Reads the body. The memory of a larger one is marked as transferable where this package alone reads it. */
const read = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Uint8Array> => {
  const reading = readBuffer(request)
  if ((declaredLength(request) ?? maxJsonBytes) <= maxUnqueuedBytes) return reading
  CollectedBodies.add(request)
  return Effect.flatMap(BodySource.IsSoleListener, (isSoleListener) => {
    const message = isSoleListener ? NodeRequest.find(request)?.message : undefined
    if (message === undefined) return reading
    return Effect.tap(BodySource.releasingChunks(message, reading), (bytes) =>
      Effect.sync(() => TransferableChunks.markTransferable(bytes))
    )
  })
}

/**
 * The bytes of the body; none when there is no body. A body that cannot be read, or is too large, becomes a problem response.
 * `MaxBodySize` bounds bodies without `Content-Length`: their bytes are counted while they are read. Large bodies that arrive at
 * the same time continue in different turns of the event loop. `parse` may release the memory of the bytes.
 */
export const readBytes = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Uint8Array> =>
  Effect.tap(read(request), ({ length }) => (length > maxUnqueuedBytes ? awaitTurn(request) : Effect.void))

/** Decodes the bytes of a body. Releases their memory if `readBytes` has marked it: the bytes are empty then. */
const decodeBytes = (bytes: Uint8Array): ReturnType<typeof JsonText.decode> => {
  const decoded = JsonText.decode(bytes)
  TransferableChunks.detach([bytes])
  return decoded
}

/** Parses the JSON of a body. The bytes may be empty afterwards. */
export const parse = (bytes: Uint8Array): Effect.Effect<unknown, InvalidRequest> => {
  const decoded = decodeBytes(bytes)
  const parsed = "fault" in decoded ? decoded : JsonText.parseText(decoded.text)
  return "value" in parsed ? Effect.succeed(parsed.value) : Effect.fail(InvalidRequest.at("", parsed.fault))
}

const refuse = (detail: string, pointer = "") => ProblemResponse.fail(InvalidRequest.at(pointer, detail))

/**
 * Gives a request the text of its body, so that the body is decoded only once: 1 MiB of garbage less per MiB. V8 would keep a request that is
 * the prototype of another object until it collects the whole heap.
 */
const setText = (request: HttpServerRequest.HttpServerRequest, text: string): void =>
  void Object.defineProperty(request, "text", { value: Effect.succeed(text), configurable: true })

/** What is checked of the parsed body before the route decodes it. */
interface Checks {
  readonly bounds: Bounds.Finder | undefined
  readonly findUnknown: UnknownFields.FindUnknown | undefined
}

/**
 * Reads the body. Fails when it is not within the bounds of JSON, has an array or record above its own bound, or a field that its schema
 * refuses. The route parses the
 * text again; a large body with few values is therefore not parsed here, and with many values the route continues in another turn.
 */
const readText = (request: HttpServerRequest.HttpServerRequest, { bounds, findUnknown }: Checks) =>
  Effect.flatMap(readBytes(request), (bytes): Effect.Effect<string, Problem.AnyOf<"invalid_request">> => {
    const isLarge = bytes.length > maxUnqueuedBytes
    const decoded = decodeBytes(bytes)
    if ("fault" in decoded) return refuse(decoded.fault)
    const { text, values } = decoded
    if (text === "" || (findUnknown === undefined && (bounds === undefined || (isLarge && values <= bounds.least)))) {
      return Effect.succeed(text)
    }
    const parsed = JsonText.parseText(text)
    if ("fault" in parsed) return refuse(parsed.fault)
    const fault = bounds?.findExcess(parsed.value)
    if (fault !== undefined) return refuse(fault.detail, fault.pointer)
    const unknown = findUnknown?.(parsed.value) ?? []
    if (unknown.length > 0) return ProblemResponse.fail(InvalidRequest.of(unknown))
    return isLarge ? Effect.as(awaitTurn(request), text) : Effect.succeed(text)
  })

const jsonRequest = JsonRequest.of((route, { endpoint }) => {
  const schemas = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  const schema = Schema.Union(schemas)
  const checks = { bounds: Bounds.finder(schema), findUnknown: UnknownFields.finder(schema) }
  return Effect.gen(function* () {
    yield* checkRequest
    const request = yield* HttpServerRequest.HttpServerRequest
    setText(request, yield* readText(request, checks))
    return yield* route
  })
})

const jsonRanges = new Set(["*/*", "application/*", "application/json"])
const zeroWeight = /^[ \t]*q=0(?:\.0*)?[ \t]*$/i

/** Whether an `Accept` header includes JSON (RFC 9110, section 12.5.1). */
const acceptsJson = (accept: string): boolean =>
  accept.trim() === "" ||
  accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";")
    return jsonRanges.has(type.trim().toLowerCase()) && !parameters.some((parameter) => zeroWeight.test(parameter))
  })

const checkAccept = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { accept } }) =>
  accept === undefined || accept === "*/*" || acceptsJson(accept) ? Effect.void : ProblemResponse.fail(notAccepted)
)

const jsonResponse = JsonResponse.of((route) => Effect.andThen(checkAccept, route))

export const layer: Layer.Layer<JsonRequest | JsonResponse> = Layer.merge(
  Layer.succeed(JsonRequest, jsonRequest),
  Layer.succeed(JsonResponse, jsonResponse)
)
