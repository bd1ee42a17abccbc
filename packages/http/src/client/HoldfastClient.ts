/**
 * The client for Effect programs: every operation of the contract, with decoded results and problems as tagged errors.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { Api } from "../contract/Api.ts"

export interface Options {
  /** The URL of the service, without `/api/v1`. */
  readonly url: string | URL
  readonly apiKey?: string | Redacted.Redacted | undefined
  /** Wraps the `HttpClient`, for example to retry requests. */
  readonly transformClient?: ((client: HttpClient.HttpClient) => HttpClient.HttpClient) | undefined
}

export type Client = HttpApiClient.ForApi<typeof Api>

/** Returns a client over the `HttpClient` of the program, such as `FetchHttpClient.layer`. */
export const make = ({
  apiKey,
  transformClient = (client) => client,
  url
}: Options): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    baseUrl: url,
    transformClient: (client) =>
      transformClient(
        apiKey === undefined ? client : HttpClient.mapRequest(client, HttpClientRequest.bearerToken(apiKey))
      )
  })

export class HoldfastClient extends Context.Service<HoldfastClient, Client>()("@holdfast/http/client/HoldfastClient") {}

export const layer = (options: Options): Layer.Layer<HoldfastClient, never, HttpClient.HttpClient> =>
  Layer.effect(HoldfastClient, make(options))
