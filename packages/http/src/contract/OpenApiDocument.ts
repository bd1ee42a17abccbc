/**
 * The OpenAPI 3.1 document of the API. Effect generates it from the contract. An annotation of the contract completes it, so
 * that `OpenApi.fromApi(Api)` returns the same document.
 */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "./Api.ts"

/** Returns a new copy of the document. */
export const make = (): OpenApi.OpenAPISpec => OpenApi.fromApi(Api)
