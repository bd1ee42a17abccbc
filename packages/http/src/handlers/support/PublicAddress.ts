/**
 * The addresses of the API that answers contain.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { basePath } from "../../contract/Api.ts"

/** The path prefix under which a host mounts the API, empty without one. It precedes `/api/v1` in every address. */
export const MountPath = Context.Reference<string>("@holdfast/http/handlers/MountPath", { defaultValue: () => "" })

/** The URL under which clients reach the service, without a trailing slash; empty where it is not known. */
export const PublicUrl = Context.Reference<string>("@holdfast/http/handlers/PublicUrl", { defaultValue: () => "" })

/** Returns the path of the API, from the origin of the service. */
export const apiPath: Effect.Effect<string> = Effect.map(MountPath, (mount) => `${mount}${basePath}`)

/** Returns the path of a URL without a trailing slash. */
const pathOf = (url: string): string => (url === "" ? "" : new URL(url).pathname.replace(/\/+$/, ""))

/** Returns the path of the API as clients see it: a proxy may serve the service below the path of its public URL. */
export const publicApiPath: Effect.Effect<string> = Effect.zipWith(
  PublicUrl,
  apiPath,
  (url, path) => `${pathOf(url)}${path}`
)

/**
 * Returns the path of the API relative to the addresses of a route, such as `../api/v1` for `/s/:shareId`. Clients resolve it against the
 * address that they know, so that it is also right behind a proxy that adds a path.
 */
export const apiPathFrom = (route: string): string => "../".repeat(route.split("/").length - 2) + basePath.slice(1)

/** Makes the effect that returns the URL of the API, or its path where the URL is not known. */
export const makeApiUrl: Effect.Effect<Effect.Effect<string>> = Effect.map(PublicUrl, (url) =>
  Effect.map(apiPath, (path) => `${url}${path}`)
)

/** Makes the effect that returns the URL under which the service is mounted, or its path where the URL is not known. */
export const makeBaseUrl: Effect.Effect<Effect.Effect<string>> = Effect.map(PublicUrl, (url) =>
  Effect.map(MountPath, (mount) => `${url}${mount}`)
)
