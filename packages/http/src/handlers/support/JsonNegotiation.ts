/**
 * What is asked of requests whose bodies are JSON, before the body is read.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { JsonResponse, JsonRequest, maxJsonBytes } from "../../contract/JsonMiddleware.ts"
import type * as Problem from "../../problems/Problem.ts"
import * as ProblemResponse from "../../problems/ProblemResponse.ts"

/** A body without a type is taken for JSON. */
const json = /^[ \t]*application\/json[ \t]*(?:;|$)/i

const tooLarge = { code: "content_too_large", message: `The body is larger than ${maxJsonBytes} bytes.` } as const
const wrongType = { code: "unsupported_media_type", message: "The body must be application/json." } as const
const notAccepted = { code: "not_acceptable", message: "The answer would be application/json." } as const

const limit = ByteSize.bytes(maxJsonBytes)

/** Fails where a request's body is declared to be something else, or too large. */
export const checkRequest = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  ({ headers }): Effect.Effect<void, Problem.AnyOf<"content_too_large" | "unsupported_media_type">> =>
    !json.test(headers["content-type"] ?? "application/json")
      ? ProblemResponse.fail(wrongType)
      : Number(headers["content-length"] ?? 0) > maxJsonBytes
        ? ProblemResponse.fail(tooLarge)
        : Effect.void
)

/** What comes without a `Content-Length` is counted while it is read. */
const bodies = JsonRequest.of((route) =>
  Effect.andThen(checkRequest, Effect.provideService(route, HttpIncomingMessage.MaxBodySize, limit))
)

/** The text of a body that need not be there. */
export const readText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  // What cannot be read is told as it is everywhere: the defect is translated.
  Effect.orDie(Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, limit))

const jsonRanges = new Set(["*/*", "application/*", "application/json"])
const refused = /^[ \t]*q=0(?:\.0*)?[ \t]*$/i

/** Whether a caller takes JSON (RFC 9110, section 12.5.1). */
const acceptsJson = (accept: string): boolean =>
  accept.trim() === "" ||
  accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";")
    return jsonRanges.has(type.trim().toLowerCase()) && !parameters.some((parameter) => refused.test(parameter))
  })

const checkAnswer = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { accept } }) =>
  accept === undefined || accept === "*/*" || acceptsJson(accept) ? Effect.void : ProblemResponse.fail(notAccepted)
)

const answers = JsonResponse.of((route) => Effect.andThen(checkAnswer, route))

export const layer: Layer.Layer<JsonRequest | JsonResponse> = Layer.merge(
  Layer.succeed(JsonRequest, bodies),
  Layer.succeed(JsonResponse, answers)
)
