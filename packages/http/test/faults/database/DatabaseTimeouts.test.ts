/**
 * PostgreSQL rows that stay locked: requests that need them fail in time, and the others do not wait.
 */
import * as Health from "@holdfast/core/deployment/Health"
import * as Postgres from "@holdfast/postgres/Postgres"
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import * as Requires from "@holdfast/testing/Requires"
import * as Server from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { SqlClient } from "effect/sql/SqlClient"
import { afterAll, assert, expect, it } from "vitest"
import * as HealthRoutes from "../../../src/operator/HealthRoutes.ts"
import * as TestServer from "../../support/TestServer.ts"

Requires.requires(Server.missing).describe("rows that stay locked", () => {
  const postgres = ManagedRuntime.make(Server.layer({ locale: "C.UTF-8" }))
  const closers: Array<() => Promise<unknown>> = [() => postgres.dispose()]
  afterAll(async () => {
    for (const close of closers) await close()
  })

  type Timeout = PostgresMetadata.Options["statementTimeout"]

  /** Starts a service with a pool of 4 connections on a new database. Another node may have another timeout. */
  const start = async (statementTimeout: Timeout, timeoutOfNode: Timeout = statementTimeout) => {
    const url = await postgres.runPromise(Effect.flatMap(Server.Postgres, ({ createDatabase }) => createDatabase))
    const metadata = PostgresMetadata.layer({ url, maxConnections: 4, statementTimeout })
    const server = await TestServer.start({ metadata, routes: Layer.provide(HealthRoutes.layer, Health.layer) })
    const other = ManagedRuntime.make(Postgres.layer({ url }))
    /** As another process of the deployment. */
    const node = ManagedRuntime.make(Postgres.layer({ url, statementTimeout: timeoutOfNode }))
    closers.unshift(
      () => server.close(),
      () => other.dispose(),
      () => node.dispose()
    )

    /** Locks a record until the returned function is called, by a client without timeouts or another one. */
    const lockRow = async (table: "file" | "share", id: string, client = other) => {
      const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const transaction = client.runPromise(
        Effect.flatMap(SqlClient, (sql) =>
          sql`SELECT id FROM ${sql(table)} WHERE id = ${id} FOR UPDATE`.pipe(
            Effect.andThen(Effect.sync(() => locked.resolve())),
            Effect.andThen(Effect.promise(() => released.promise)),
            sql.withTransaction
          )
        )
      )
      await Promise.race([locked.promise, transaction])
      return async () => {
        released.resolve()
        await transaction
      }
    }

    const countWaiting = () =>
      other.runPromise(
        Effect.flatMap(SqlClient, (sql) =>
          Effect.map(
            sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
            (rows) => rows.length
          )
        )
      )
    return { server, node, lockRow, countWaiting }
  }

  it("a change waits for longer than the timeout → 503 with Retry-After, and succeeds afterwards", async () => {
    const { lockRow, server } = await start("3 seconds")
    const { id, path } = await server.makeFile(await server.makeBucket())
    const release = await lockRow("file", id)
    const refused = await server.patch(path, { json: { name: "renamed" } })
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(refused.headers.get("retry-after"), "2")
    const problem: unknown = await refused.json()
    expect(problem).toMatchObject({ code: "unavailable", detail: expect.stringContaining("did not finish") })
    await release()
    assert.strictEqual((await server.patch(path, { json: { name: "renamed" } })).status, 200)
  }, 60_000)

  it("a node stops inside of a transaction → its locks end before a change that waits for them fails", async () => {
    // The change waits for longer than the node, so that a busy machine does not decide which of them ends first.
    const { lockRow, node, server } = await start("1 minute", "5 seconds")
    const [timeouts] = await node.runPromise(
      Effect.flatMap(
        SqlClient,
        (sql) => sql<{ readonly idle: number; readonly lock: number }>`SELECT
          (SELECT setting::int FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout') AS idle,
          (SELECT setting::int FROM pg_settings WHERE name = 'lock_timeout') AS lock`
      )
    )
    assert.deepStrictEqual(timeouts, { idle: 2000, lock: 2500 })
    const { id, path } = await server.makeFile(await server.makeBucket())
    const release = await lockRow("file", id, node)
    assert.strictEqual((await server.patch(path, { json: { name: "renamed" } })).status, 200)
    await expect(release()).rejects.toThrow(/connection|idle/i)
  }, 60_000)

  it("50 changes of one tenant wait → another tenant reads and writes, and the service is ready", async () => {
    const { countWaiting, lockRow, server } = await start("1 hour")
    const [mine, foreign] = [await server.makeBucket(), await server.makeBucket()]
    const blocked = await server.makeFile(mine)
    const file = await server.makeFile(foreign, "there")
    const release = await lockRow("file", blocked.id)
    let answered = 0
    const changes = Array.from({ length: 50 }, async (_, index) => {
      const response = await server.patch(blocked.path, { json: { metadata: { index } } })
      answered++
      return response.status
    })
    await expect.poll(countWaiting, { timeout: 20_000 }).toBe(2)
    for (let round = 0; round < 5; round++) {
      assert.strictEqual(await (await server.get(`${file.path}/view`)).text(), "there")
      await server.makeFile(foreign, "new")
      assert.strictEqual((await server.patch(file.path, { json: { metadata: { round } } })).status, 200)
      assert.strictEqual((await fetch(`${server.url}/health/ready`)).status, 200)
    }
    assert.strictEqual(answered, 0)
    await release()
    expect(new Set(await Promise.all(changes))).toEqual(new Set([200]))
  }, 60_000)

  it("50 downloads of one share wait for its record → another tenant writes", async () => {
    const { countWaiting, lockRow, server } = await start("1 hour")
    const [{ bucketId, tenantId }, foreign] = [await server.makeBucket(), await server.makeBucket()]
    const { path } = await server.makeFile({ bucketId, tenantId })
    const created = await server.post(`/tenants/${tenantId}/buckets/${bucketId}/shares`, {
      json: { name: "counted", maxDownloads: 50 }
    })
    const share = (await created.json()) as { readonly id: string; readonly token: string }
    const release = await lockRow("share", share.id)
    let answered = 0
    const downloads = Array.from({ length: 50 }, async () => {
      const response = await server.get(`${path}/download`, { key: null, query: { apiKey: share.token } })
      answered++
      return response.status
    })
    await expect.poll(countWaiting, { timeout: 20_000 }).toBe(2)
    await server.makeFile(foreign, "new")
    assert.strictEqual(answered, 0)
    await release()
    expect(new Set(await Promise.all(downloads))).toEqual(new Set([307]))
  }, 60_000)
})
