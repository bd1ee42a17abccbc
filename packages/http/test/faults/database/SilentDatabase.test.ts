/**
 * PostgreSQL behind a network that stops forwarding: connections stay open, and nothing answers.
 */
import * as Health from "@holdfast/core/deployment/Health"
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import * as Requires from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as TcpProxy from "@holdfast/testing/servers/TcpProxy"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, expect, it } from "vitest"
import * as HealthRoutes from "../../../src/operator/HealthRoutes.ts"
import * as TestServer from "../../support/TestServer.ts"

class ProxiedDatabase extends Context.Service<
  ProxiedDatabase,
  { readonly proxy: TcpProxy.TcpProxy; readonly url: Redacted.Redacted }
>()("ProxiedDatabase") {}

/** A new database, and the proxy through which its URL leads. */
const layer = Layer.effect(
  ProxiedDatabase,
  Effect.gen(function* () {
    const { createDatabase } = yield* Server.Postgres
    const url = new URL(Redacted.value(yield* createDatabase))
    const proxy = yield* TcpProxy.open(Number(url.port))
    url.port = String(proxy.port)
    return ProxiedDatabase.of({ proxy, url: Redacted.make(url.href) })
  })
).pipe(Layer.provide(Server.layer({ locale: "C.UTF-8" })))

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly milliseconds: number
}

const measure = async (answering: Promise<Response>): Promise<Answer> => {
  const startedAt = performance.now()
  const response = await answering
  await response.arrayBuffer()
  const retryAfter = response.headers.get("retry-after")
  return { status: response.status, retryAfter, milliseconds: performance.now() - startedAt }
}

const timeout = 3000
/** A busy machine delays the answers of hundreds of requests at the same time. Without the timeouts they never come. */
const margin = 5000

Requires.requires(Server.missing).describe("PostgreSQL does not answer", () => {
  const runtime = ManagedRuntime.make(layer)
  const closers: Array<() => Promise<unknown>> = [() => runtime.dispose()]
  afterAll(async () => {
    for (const close of closers) await close()
  })

  it("500 requests of all kinds → 503 with Retry-After in time; readiness within two seconds; no restart needed", async () => {
    const { proxy, url } = await runtime.runPromise(ProxiedDatabase)
    const metadata = PostgresMetadata.layer({ url, maxConnections: 4, statementTimeout: timeout })
    const server = await TestServer.start({
      metadata,
      routes: Layer.provide(HealthRoutes.layer, Health.layer),
      settings: { accessCache: Duration.zero }
    })
    closers.unshift(() => server.close())
    const bucket = await server.makeBucket()
    const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const { path } = await server.makeFile(bucket, "there")
    const sendAll = (count: number): ReadonlyArray<Promise<Response>> =>
      Array.from({ length: count }, () => [
        server.get("/me"),
        server.get(`${path}/view`),
        server.patch(path, { json: { name: "renamed" } }),
        server.post(files, { json: { name: "new" } }),
        server.get(files)
      ]).flat()
    // Opens every connection: then statements run on open connections and wait for new ones.
    await Promise.all(sendAll(10))

    await runtime.runPromise(proxy.stall)
    const ready = measure(fetch(`${server.url}/health/ready`))
    const first = sendAll(50).map(measure)
    await Promise.race(first)
    const answers = await Promise.all([...first, ...sendAll(50).map(measure)])
    expect(await ready).toMatchObject({ status: 503 })
    expect((await ready).milliseconds).toBeLessThan(2000 + margin)
    for (const { milliseconds, retryAfter, status } of answers) {
      assert.strictEqual(status, 503)
      assert.isNotNull(retryAfter)
      assert.isBelow(milliseconds, timeout + margin)
    }

    await runtime.runPromise(proxy.resume)
    await expect.poll(async () => (await server.get("/me")).status, { timeout: 20_000 }).toBe(200)
    assert.strictEqual(await (await server.get(`${path}/view`)).text(), "there")
  }, 60_000)
})
