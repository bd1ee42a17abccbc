/**
 * The address of the HTTP API in the results of the Promise API, which does not know where a host mounts it.
 */
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../../Errors.ts"

export interface BaseUrlOption {
  /** Where the HTTP API is mounted, for example `https://files.example.com`. Without it, the addresses are paths. */
  readonly baseUrl?: string | undefined
}

/** Returns the base, without a slash at its end. Fails at `/baseUrl` for a value that is no base of URLs. */
export const decodeBaseUrl = ({ baseUrl = "" }: BaseUrlOption): Effect.Effect<string, InvalidRequest> =>
  typeof baseUrl === "string" && (baseUrl === "" || URL.canParse(baseUrl))
    ? Effect.succeed(baseUrl.replace(/\/+$/, ""))
    : Effect.fail(InvalidRequest.at("/baseUrl", "must be a URL"))

/** Returns the URL of the API, or its path. Fails as `decodeBaseUrl`. */
export const decodeApiUrl = (option: BaseUrlOption): Effect.Effect<string, InvalidRequest> =>
  Effect.map(decodeBaseUrl(option), (baseUrl) => `${baseUrl}/api/v1`)
