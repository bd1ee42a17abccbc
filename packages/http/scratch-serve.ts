import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Duration from "effect/Duration"
import * as Metric from "effect/Metric"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as Core from "./src/server/Core.ts"
import * as Metadata from "./src/server/Metadata.ts"
import * as Handler from "./src/server/Handler.ts"
import * as HttpService from "./src/server/HttpService.ts"
import * as Health from "./src/server/Health.ts"
import * as Docs from "./src/server/Docs.ts"
import * as RouteTag from "./src/server/RouteTag.ts"
import * as FirstRun from "./src/server/FirstRun.ts"
import * as ProcessMetrics from "./src/server/metrics/ProcessMetrics.ts"
import * as ProblemMiddleware from "./src/problems/ProblemMiddleware.ts"
import * as Tracing from "./src/server/Tracing.ts"
import { Api } from "./src/contract/Api.ts"
const dir = "/tmp/hf-scratch"
const places = { dataDirectory: dir, databaseUrl: undefined }
const own = HttpRouter.addAll([
  HttpRouter.route("POST","/echo", Effect.gen(function*(){ const r = yield* HttpServerRequest.HttpServerRequest; const t = yield* r.text; return HttpServerResponse.text(String(t.length)) })),
  HttpRouter.route("POST","/refuse", HttpServerResponse.text("no", {status: 413})),
  HttpRouter.route("GET","/slow/:id", Effect.delay(Effect.succeed(HttpServerResponse.text("done")), "3 seconds"))
])
const routes = Layer.mergeAll(Health.layer, Docs.layer(Api), own, PrometheusMetrics.layerHttp()).pipe(Layer.provide(RouteTag.layer), Layer.merge(ProblemMiddleware.layer([{method:"GET", path:"/health/live"}])))
const http = HttpService.layer(Handler.make(routes), { host: "127.0.0.1", port: 8099, idleTimeout: Duration.seconds(5), shutdownTimeout: Duration.seconds(10), corsOrigins: ["https://a.example"], accessLog: true })
const app = http.pipe(Layer.provideMerge(Core.layer), Layer.provide(ProcessMetrics.layer), Layer.provide([Metadata.layer(places), FsBlobStore.layer({directory: dir})]), Layer.provide(NodeHttpServer.layerHttpServices), Layer.provide([Tracing.disabled, Layer.sync(Metric.MetricRegistry, () => new Map())]))
const main = Effect.gen(function*(){
  const h = yield* HttpService.HttpService
  console.log("ready", h.url, performance.now())
  yield* FirstRun.run({email: "root@x.org", key: undefined, url: h.url, print: (t) => process.stdout.write(t)})
  yield* Effect.callback<void>((r) => { process.once("SIGTERM", () => r(Effect.void)) })
  console.log("stopping")
}).pipe(Effect.provide(app), Effect.scoped)
Effect.runPromise(main).then(() => { console.log("end"); process.exit(0) }, (e) => { console.error(e); process.exit(1) })
