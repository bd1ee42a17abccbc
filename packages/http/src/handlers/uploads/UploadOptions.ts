/**
 * `OPTIONS` at the addresses of uploads: what tus and the IETF draft support here. Like a preflight, it needs no key.
 */
import { Settings } from "@holdfast/core/Settings"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import { Api } from "../../contract/Api.ts"
import type { Route } from "../../problems/AllowedMethods.ts"
import { algorithms } from "../../transfer/upload/BodyDigest.ts"
import * as DraftHandlers from "./DraftHandlers.ts"
import * as TusHandlers from "./TusHandlers.ts"

const { append, create } = Api.groups.uploads.endpoints

const paths = [create.path, append.path, Api.groups.contents.endpoints.upload.path]

export const routes: ReadonlyArray<Route> = paths.map((path) => ({ method: "OPTIONS", path }))

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { maxUploadBytes } = yield* Settings
    const headers = {
      "tus-resumable": TusHandlers.version,
      "tus-version": TusHandlers.version,
      "tus-extension": TusHandlers.extensions,
      "tus-checksum-algorithm": algorithms.join(","),
      "tus-max-size": String(maxUploadBytes),
      "accept-patch": [DraftHandlers.mediaType, TusHandlers.mediaType].join(", "),
      "upload-limit": DraftHandlers.limitOf(maxUploadBytes)
    }
    for (const path of paths) yield* router.add("OPTIONS", path, HttpServerResponse.empty({ status: 204, headers }))
  })
)
