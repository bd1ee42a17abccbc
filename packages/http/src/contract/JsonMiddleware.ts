/**
 * The middleware of operations with JSON bodies. It declares their errors; `handlers/support/JsonNegotiation` implements it.
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { problems } from "./Operation.ts"

/**
 * For operations that accept a JSON body. A body of another media type gets `415`, one of more than `maxJsonBytes` gets
 * `413`, one that exceeds another bound `400`.
 */
export class JsonRequest extends HttpApiMiddleware.Service<JsonRequest>()("@holdfast/http/contract/JsonRequest", {
  error: problems("invalid_request", "content_too_large", "unsupported_media_type")
}) {}

/** For operations that respond with JSON. A client that does not accept JSON gets `406`. */
export class JsonResponse extends HttpApiMiddleware.Service<JsonResponse>()("@holdfast/http/contract/JsonResponse", {
  error: problems("not_acceptable")
}) {}

/** The largest JSON body that is accepted, in bytes. */
export const maxJsonBytes = 1024 * 1024
