/**
 * `GET /openapi.json`: the API described for programs. `GET /docs`: the same as a page for people. All of it comes from here, with no other origin involved: it works without
 * internet, and a key that is typed into it goes nowhere else.
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

/** The page's own script and style stand in it; nothing else is loaded, and nothing but this origin is called. */
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
  readonly zipped: Uint8Array
  readonly etag: string
}

const zip = promisify(gzip)

/** No proxy of Scalar's, no fonts of theirs, and none of the tools that send the document to them. */
const scalar = { proxyUrl: "", withDefaultFonts: false, showDeveloperTools: "never" }

/** Renders the page by the route that Effect has for it, which puts the whole of Scalar, three megabytes, into it. */
const render = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    const route = HttpApiScalar.layer(api, { path: "/docs", scalar })
    yield* Effect.provideService(Layer.build(route), HttpRouter.HttpRouter, router)
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
    const response = yield* Effect.provideService(router.asHttpEffect(), HttpServerRequest.HttpServerRequest, request)
    const html = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
    const zipped = yield* Effect.promise(() => zip(html))
    return { html, zipped, etag: `"${hash("sha256", html, "base64url").slice(0, 22)}"` }
  }).pipe(Effect.scoped, Effect.orDie)

const respond = ({ etag, html, zipped }: Page, request: HttpServerRequest.HttpServerRequest) => {
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
    ? HttpServerResponse.uint8Array(zipped, { contentType, headers: { ...headers, "content-encoding": "gzip" } })
    : HttpServerResponse.text(html, { contentType, headers })
}

/** Both are made when it is first asked for: most services never show them, and start sooner without. */
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
