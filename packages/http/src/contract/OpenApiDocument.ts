/**
 * The OpenAPI 3.1 document of the API. Generated from the contract, and completed by the contract's own annotation, so
 * that whoever calls `OpenApi.fromApi(Api)` gets the same.
 */
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "./Api.ts"

/** The document; each call returns a fresh copy. */
export const make = (): OpenApi.OpenAPISpec => OpenApi.fromApi(Api)
