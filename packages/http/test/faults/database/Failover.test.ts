/**
 * The primary PostgreSQL server dies, and its standby is promoted: a real standby with synchronous replication.
 */
import * as PostgresClient from "@holdfast/postgres/Postgres"
import * as Requires from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as TcpProxy from "@holdfast/testing/servers/TcpProxy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, expect, it } from "vitest"
import * as Process from "../../support/Process.ts"
import * as ServiceBucket from "../../support/ServiceBucket.ts"
import * as UploadLoop from "./UploadLoop.ts"

class Servers extends Context.Service<
  Servers,
  {
    readonly primary: Server.Postgres["Service"]
    readonly standby: Server.Standby
    readonly proxy: TcpProxy.TcpProxy
    /** Leads through the proxy. */
    readonly url: string
  }
>()("Servers") {}

const query = (url: string, statement: string) =>
  Effect.flatMap(SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(statement)).pipe(
    Effect.provide(PostgresClient.layer({ url: Redacted.make(url) }))
  )

/** A primary that commits after its standby has, and a proxy that leads to the primary at first. */
const layer = Layer.effect(
  Servers,
  Effect.gen(function* () {
    const primary = yield* Server.Postgres
    const direct = Redacted.value(yield* primary.createDatabase)
    const standby = yield* primary.startStandby
    yield* query(direct, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    yield* query(direct, "SELECT pg_reload_conf()")
    const url = new URL(direct)
    const proxy = yield* TcpProxy.open(Number(url.port))
    url.port = String(proxy.port)
    const states = query(direct, "SELECT sync_state FROM pg_stat_replication")
    yield* Effect.repeat(states, { until: ([row]) => row?.["sync_state"] === "sync" })
    return Servers.of({ primary, standby, proxy, url: url.href })
  })
).pipe(Layer.provide(Server.layer({ locale: "C.UTF-8", settings: ["max_connections=50"] })))

const readiness = async (url: string): Promise<number> => (await fetch(`${url}/health/ready`)).status

Requires.requires(Server.missing).describe("PostgreSQL with a standby", () => {
  const runtime = ManagedRuntime.make(layer)
  afterAll(() => runtime.dispose())

  it("primary killed during uploads → not ready at the standby; promoted → ready, every acknowledged upload is there", async () => {
    const { primary, proxy, standby, url } = await runtime.runPromise(Servers)
    const env = { DATABASE_URL: url, HOLDFAST_DATABASE_TIMEOUT: "5s", HOLDFAST_SCRUB_PERIOD: "0" }
    const bucket = await ServiceBucket.start({ env })
    const uploads = UploadLoop.start(bucket, 4)
    await expect.poll(() => uploads.acknowledged().length, { timeout: 60_000 }).toBeGreaterThan(20)

    await runtime.runPromise(primary.stop("immediate"))
    await runtime.runPromise(proxy.leadTo(standby.port))
    await expect.poll(() => readiness(bucket.service.url), { timeout: 30_000 }).toBe(503)
    const refused = await bucket.api.get(bucket.files)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.any(String)])
    const before = uploads.acknowledged().length

    await runtime.runPromise(standby.promote)
    await expect.poll(() => readiness(bucket.service.url), { timeout: 60_000 }).toBe(200)
    await expect.poll(() => uploads.acknowledged().length, { timeout: 60_000 }).toBeGreaterThan(before + 20)
    await uploads.stop()
    await UploadLoop.expectKept(bucket, uploads)
    expect(await Process.run(["fsck", "--data-dir", bucket.service.data], { env })).toMatchObject({ code: 0 })
  }, 480_000)
})
