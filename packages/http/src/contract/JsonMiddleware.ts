/**
 * Operations whose bodies are JSON.
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { problems } from "./Operation.ts"

/** The operation takes a JSON body: another media type is `415`, more than `maxBodyBytes` is `413`. */
export class JsonRequest extends HttpApiMiddleware.Service<JsonRequest>()("@holdfast/http/contract/JsonBody", {
  error: problems("content_too_large", "unsupported_media_type")
}) {}

/** The operation answers with JSON: a caller that accepts none gets `406`. */
export class JsonResponse extends HttpApiMiddleware.Service<JsonResponse>()("@holdfast/http/contract/JsonAnswer", {
  error: problems("not_acceptable")
}) {}

/** The largest JSON body, in bytes. */
export const maxJsonBytes = 1024 * 1024
