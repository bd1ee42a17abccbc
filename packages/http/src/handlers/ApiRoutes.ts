/**
 * The routes of the API: every operation of the contract, handled by the core's services.
 */
import { Refusals } from "@holdfast/core/events/Refusals"
import type { Services } from "@holdfast/core/Holdfast"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type { FileSystem } from "effect/FileSystem"
import type * as Etag from "effect/http/Etag"
import type { HttpPlatform } from "effect/http/HttpPlatform"
import type { HttpRouter } from "effect/http/HttpRouter"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type { Path } from "effect/Path"
import { Api, HandledApi } from "../contract/Api.ts"
import * as PlayerAssets from "../players/PlayerAssets.ts"
import type { Route } from "../problems/AllowedMethods.ts"
import * as ProblemMiddleware from "../problems/ProblemMiddleware.ts"
import * as Authentication from "../auth/Authentication.ts"
import * as RequestRates from "../auth/RequestRates.ts"
import * as BucketHandlers from "./BucketHandlers.ts"
import * as ContentHandlers from "./ContentHandlers.ts"
import * as EventHandlers from "./EventHandlers.ts"
import * as FileHandlers from "./FileHandlers.ts"
import * as FolderHandlers from "./FolderHandlers.ts"
import * as CaptionHandlers from "./streams/CaptionHandlers.ts"
import * as PosterHandlers from "./streams/PosterHandlers.ts"
import * as HeaderHandlers from "./HeaderHandlers.ts"
import * as IdentityHandlers from "./IdentityHandlers.ts"
import * as JsonNegotiation from "./support/JsonNegotiation.ts"
import * as MemberHandlers from "./MemberHandlers.ts"
import * as MembershipHandlers from "./MembershipHandlers.ts"
import * as MirrorHandlers from "./MirrorHandlers.ts"
import * as PlaybackRoutes from "./PlaybackRoutes.ts"
import * as PlayerRoutes from "./PlayerRoutes.ts"
import * as ReadingRoutes from "./ReadingRoutes.ts"
import * as ShareHandlers from "./shares/ShareHandlers.ts"
import * as ShareRoutes from "./shares/ShareRoutes.ts"
import * as StreamHandlers from "./StreamHandlers.ts"
import * as TenantHandlers from "./TenantHandlers.ts"
import * as TokenHandlers from "./TokenHandlers.ts"
import * as UploadHandlers from "./uploads/UploadHandlers.ts"
import * as UploadOptions from "./uploads/UploadOptions.ts"
import * as WebhookHandlers from "./WebhookHandlers.ts"

/** What the routes require: the core's services, cryptography for keys, and Effect's HTTP platform. */
export type Requirements =
  | Services
  | Digest
  | SecureRandom
  | HttpRouter
  | Etag.Generator
  | HttpPlatform
  | FileSystem
  | Path

/**
 * The router's configuration: pass it to `HttpRouter.serve` or `HttpRouter.toWebHandler`, or provide it as
 * `HttpRouter.RouterConfig`. With Effect's default limit of 100 characters per parameter, paths with long aliases would not
 * match any route. A path has one form only (`ExactPath`).
 */
export const routerConfig = {
  maxParamLength: 8192,
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
}

/** The methods and paths of the contract. */
const routes: ReadonlyArray<Route> = (() => {
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => found.push({ method: endpoint.method, path: endpoint.path })
  })
  return found
})()

/**
 * Registers every route of the contract, and the middleware that turns errors into problem responses around all routes of the
 * router.
 *
 * @param others Further routes of the same router, so that a wrong method on one of them gets `405` too, instead of `404`.
 */
export const layerWith = (others: ReadonlyArray<Route>): Layer.Layer<never, never, Requirements> =>
  HttpApiBuilder.layer(HandledApi).pipe(
    Layer.provide([
      IdentityHandlers.layer,
      MembershipHandlers.layer,
      TenantHandlers.layer,
      MemberHandlers.layer,
      TokenHandlers.layer,
      BucketHandlers.layer,
      FileHandlers.layer,
      FolderHandlers.layer,
      ContentHandlers.layer,
      UploadHandlers.layer,
      ShareHandlers.layer,
      CaptionHandlers.layer,
      PosterHandlers.layer,
      HeaderHandlers.layer,
      MirrorHandlers.layer,
      WebhookHandlers.layer,
      StreamHandlers.layer,
      EventHandlers.layer
    ]),
    Layer.provide([Authentication.layer, JsonNegotiation.layer, UploadHandlers.layerVersion]),
    Layer.merge(
      Layer.mergeAll(
        ReadingRoutes.layer,
        PlaybackRoutes.layer,
        PlayerRoutes.layer,
        PlayerAssets.layer,
        ShareRoutes.layer,
        UploadOptions.layer
      )
    ),
    Layer.merge(
      ProblemMiddleware.layer(
        [...routes, ...PlayerAssets.routes, ...ShareRoutes.routes, ...UploadOptions.routes, ...others],
        routerConfig,
        Effect.all({
          onUnauthenticated: RequestRates.makeFailureCounter,
          onRefused: Effect.map(Refusals, ({ record }) => record)
        })
      )
    )
  )

/** Registers every route of the contract. */
export const layer: Layer.Layer<never, never, Requirements> = layerWith([])
