/**
 * Serves `GET …/players/<name>`: scripts and style of the player pages. They need no key, because they are the same for all
 * clients and contain no user data.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import { basePath } from "../contract/Api.ts"
import type { Route } from "../problems/AllowedMethods.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as Conditionals from "../transfer/request/Conditionals.ts"
import * as ContentCodings from "../transfer/response/ContentCodings.ts"
import * as AssetEncodings from "./AssetEncodings.ts"

const path = `${basePath}/players/:name` as const

/** Method and path, for `405` responses to other methods. */
export const routes: ReadonlyArray<Route> = [{ method: "GET", path }]

interface Asset {
  readonly contentType: string
  readonly as: (coding: ContentCodings.Coding) => Effect.Effect<AssetEncodings.Representation>
}

/** Loads the assets, by name. Their texts, more than a megabyte, are imported for the first request only. */
const loadAssets: Effect.Effect<ReadonlyMap<string, Asset>> = Effect.gen(function* () {
  const { load } = yield* Effect.promise(() => import("./AssetFiles.ts"))
  const { modules, shareModules, ...single } = load()
  const assets = new Map<string, Asset>()
  for (const file of [...modules, ...shareModules, ...Object.values(single)]) {
    assets.set(file.name, { contentType: file.contentType, as: yield* AssetEncodings.make(file) })
  }
  return assets
})

const respond = ({ as, contentType }: Asset, { headers: requested }: HttpServerRequest) =>
  Effect.map(as(ContentCodings.choose(requested["accept-encoding"])), ({ bytes, coding, etag }) => {
    const headers = {
      etag,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff",
      ...ContentCodings.headersOf(coding)
    }
    return Conditionals.isNotModified(requested, etag)
      ? HttpServerResponse.empty({ status: 304, headers })
      : HttpServerResponse.uint8Array(bytes, { contentType, headers })
  })

/** Registers the route. The files are read at the first request. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const assets = yield* Effect.cached(loadAssets)
    yield* router.add("GET", path, (request) =>
      Effect.gen(function* () {
        const { params } = yield* HttpRouter.RouteContext
        const asset = (yield* assets).get(params["name"] ?? "")
        return yield* asset === undefined
          ? ProblemResponse.respond({ code: "not_found", message: "There is no asset of this name." })
          : respond(asset, request)
      })
    )
  })
)
