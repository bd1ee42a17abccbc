/**
 * `GET /openapi.json`: the OpenAPI document of the API. `GET /docs`: the same as a page. The page loads nothing from
 * other origins, so it works without Internet access, and a key that a user types into it is sent to this service only.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

/** Scripts and styles are inline in the page. It loads nothing else, and it sends requests to its own origin only. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

interface Page {
  readonly html: string
  readonly gzipped: Uint8Array
  readonly etag: string
}

const gzipAsync = promisify(gzip)

/** Turns off Scalar's proxy, its web fonts, and its developer tools, which send the document to Scalar's servers. */
const scalar = { proxyUrl: "", withDefaultFonts: false, showDeveloperTools: "never" }

/** Renders the page with Effect's route for Scalar, which inlines Scalar's script of three megabytes. */
const render = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    const route = HttpApiScalar.layer(api, { path: "/docs", scalar })
    yield* Effect.provideService(Layer.build(route), HttpRouter.HttpRouter, router)
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
    const response = yield* Effect.provideService(router.asHttpEffect(), HttpServerRequest.HttpServerRequest, request)
    const html = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
    const gzipped = yield* Effect.promise(() => gzipAsync(html))
    return { html, gzipped, etag: `"${hash("sha256", html, "base64url").slice(0, 22)}"` }
  }).pipe(Effect.scoped, Effect.orDie)

const respond = ({ etag, gzipped, html }: Page, request: HttpServerRequest.HttpServerRequest) => {
  const headers = {
    etag,
    "cache-control": "no-cache",
    "content-security-policy": contentSecurityPolicy,
    vary: "Accept-Encoding"
  }
  if (request.headers["if-none-match"]?.includes(etag) === true) {
    return HttpServerResponse.empty({ status: 304, headers })
  }
  const contentType = "text/html; charset=utf-8"
  return /\bgzip\b/.test(request.headers["accept-encoding"] ?? "")
    ? HttpServerResponse.uint8Array(gzipped, { contentType, headers: { ...headers, "content-encoding": "gzip" } })
    : HttpServerResponse.text(html, { contentType, headers })
}

/** Both are rendered at the first request: most services never serve them and start faster without. */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const page = yield* Effect.cached(render(api))
      const document = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api))))
      yield* router.add("GET", "/docs", (request) => Effect.map(page, (ready) => respond(ready, request)))
      yield* router.add("GET", "/openapi.json", document)
    })
  )
