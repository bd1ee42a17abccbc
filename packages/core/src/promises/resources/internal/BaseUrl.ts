/**
 * The address of the HTTP API in the results of the Promise API, which does not know where a host mounts it.
 */
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../../Errors.ts"

export interface BaseUrlOption {
  /**
   * Where the HTTP API is mounted: a URL such as `https://files.example.com`, or a path such as `/store`, with which the addresses are
   * paths, too. Default: the root of the origin.
   */
  readonly baseUrl?: string | undefined
}

/** A path that no browser takes for the name of another host. */
const path = /^\/(?:[^/?#\\\s][^?#\\\s]*)?$/

/** Returns the base, without a slash at its end. Fails at `/baseUrl` for a value that is no base of URLs. */
export const decodeBaseUrl = ({ baseUrl = "" }: BaseUrlOption): Effect.Effect<string, InvalidRequest> =>
  typeof baseUrl === "string" && (baseUrl === "" || path.test(baseUrl) || URL.canParse(baseUrl))
    ? Effect.succeed(baseUrl.replace(/\/+$/, ""))
    : Effect.fail(InvalidRequest.at("/baseUrl", "must be a URL, or a path such as /store"))

/** Returns the URL of the API, or its path. Fails as `decodeBaseUrl`. */
export const decodeApiUrl = (option: BaseUrlOption): Effect.Effect<string, InvalidRequest> =>
  Effect.map(decodeBaseUrl(option), (baseUrl) => `${baseUrl}/api/v1`)
