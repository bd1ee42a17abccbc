/**
 * The address of the HTTP API in the results of the Promise API, which does not know where a host mounts it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../../Errors.ts"

export interface BaseUrlOption {
  /**
   * Where the HTTP API is mounted: a URL such as `https://files.example.com`, or a path such as `/store`, with which the addresses are
   * paths, too. Default: the `publicUrl` of `open`.
   */
  readonly baseUrl?: string | undefined
}

/** The `publicUrl` of `open`; empty for the root of the origin. */
export const PublicUrl = Context.Reference<string>("@holdfast/core/promises/PublicUrl", { defaultValue: () => "" })

/** A path that no browser takes for the name of another host. */
const path = /^\/(?:[^/?#\\\s][^?#\\\s]*)?$/

const isWebUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    !/[?#]/.test(text) &&
    url.username === "" &&
    url.password === ""
  )
}

/** Whether addresses can begin with this value. */
export const isBaseUrl = (value: unknown): value is string =>
  typeof value === "string" && (path.test(value) || isWebUrl(value))

/** What is expected where `isBaseUrl` is false. */
export const expected = "must be an http or https URL without user, query and fragment, or a path such as /store"

/** Returns the base, without a slash at its end. Fails at `/baseUrl` for a value that is no base of URLs. */
export const decodeBaseUrl = (option: BaseUrlOption): Effect.Effect<string, InvalidRequest> =>
  Effect.flatMap(PublicUrl, (publicUrl) => {
    const { baseUrl = publicUrl } = option
    return baseUrl === "" || isBaseUrl(baseUrl)
      ? Effect.succeed(baseUrl.replace(/\/+$/, ""))
      : Effect.fail(InvalidRequest.at("/baseUrl", expected))
  })

/** Returns the URL of the API, or its path. Fails as `decodeBaseUrl`. */
export const decodeApiUrl = (option: BaseUrlOption): Effect.Effect<string, InvalidRequest> =>
  Effect.map(decodeBaseUrl(option), (baseUrl) => `${baseUrl}/api/v1`)
