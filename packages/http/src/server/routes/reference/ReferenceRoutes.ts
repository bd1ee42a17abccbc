/**
 * `GET /openapi.json`: the OpenAPI document of the API. `GET /docs`: the same as a page. The page loads nothing from
 * other origins, so it works without Internet access, and a key that a user types into it is sent to this service only.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Layer from "effect/Layer"
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { script } from "./PageScript.ts"
import { style } from "./PageStyle.ts"
import * as ReferencePage from "./ReferencePage.ts"

const sourceOf = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`

/** The page runs its own script only, loads nothing but the document, and sends requests to its own origin only. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src ${sourceOf(script)}`,
  `style-src ${sourceOf(style)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

interface Resource {
  readonly text: string
  readonly contentType: string
  readonly gzipped: Uint8Array
  readonly etag: string
}

const gzipAsync = promisify(gzip)

const makeResource = (contentType: string, text: string): Effect.Effect<Resource> =>
  Effect.map(
    Effect.promise(() => gzipAsync(text)),
    (gzipped) => ({ text, contentType, gzipped, etag: `"${hash("sha256", text, "base64url").slice(0, 22)}"` })
  )

const respond = ({ contentType, etag, gzipped, text }: Resource, request: HttpServerRequest.HttpServerRequest) => {
  const headers = {
    etag,
    "cache-control": "no-cache",
    "content-security-policy": contentSecurityPolicy,
    vary: "Accept-Encoding"
  }
  if (request.headers["if-none-match"]?.includes(etag) === true) {
    return HttpServerResponse.empty({ status: 304, headers })
  }
  return /\bgzip\b/.test(request.headers["accept-encoding"] ?? "")
    ? HttpServerResponse.uint8Array(gzipped, { contentType, headers: { ...headers, "content-encoding": "gzip" } })
    : HttpServerResponse.text(text, { contentType, headers })
}

/** Both are rendered at the first request: most services never serve them and start faster without. */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const document = yield* Effect.cached(Effect.sync(() => JSON.stringify(OpenApi.fromApi(api))))
      const json = yield* Effect.cached(Effect.flatMap(document, (text) => makeResource("application/json", text)))
      const page = yield* Effect.cached(
        Effect.flatMap(document, (text) =>
          makeResource("text/html; charset=utf-8", ReferencePage.render(JSON.parse(text) as ReferencePage.Document))
        )
      )
      yield* router.add("GET", "/docs", (request) => Effect.map(page, (ready) => respond(ready, request)))
      yield* router.add("GET", "/openapi.json", (request) => Effect.map(json, (ready) => respond(ready, request)))
    })
  )
