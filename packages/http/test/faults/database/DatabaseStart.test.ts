/**
 * The start of a service whose PostgreSQL server is not available, read-only, or migrated by a newer version.
 */
import * as Requires from "@holdfast/testing/Requires"
import { DatabaseSync } from "node:sqlite"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Database from "../../support/Database.ts"
import * as Process from "../../support/Process.ts"

const waiting = /database not available; retrying/

/** Waits until the log of a process matches. */
const untilLogged = (running: Process.Running, pattern: RegExp): Promise<void> =>
  expect.poll(() => running.stderr(), { timeout: 30_000 }).toMatch(pattern)

const serve = async (url: string, env: Readonly<Record<string, string>> = {}): Promise<Process.Running> =>
  Process.start(["serve", "--port", "0", "--data-dir", await Process.makeDirectory()], {
    env: { DATABASE_URL: url, ...env }
  })

const readiness = async (url: string): Promise<number> => (await fetch(`${url}/health/ready`)).status

Requires.requires(Database.missing).describe("start with PostgreSQL", () => {
  let database: Database.Database
  beforeAll(async () => {
    database = await Database.start()
  })
  afterAll(() => database.close())

  it("server refuses connections → start waits for it, and logs no password", async () => {
    const url = await database.create()
    await database.stop()
    const running = await serve(url)
    await untilLogged(running, waiting)
    await database.start()
    await running.untilPrinted(/listens on/)
    expect(running.stderr()).toContain("ECONNREFUSED")
    for (const secret of [url, new URL(url).password, decodeURIComponent(new URL(url).password)]) {
      expect(running.stderr()).not.toContain(secret)
    }
  }, 60_000)

  it("server refuses connections for the start timeout → exit code 1 with the reason", async () => {
    const running = await serve("postgres://u:secret@127.0.0.1:1/x", { HOLDFAST_START_TIMEOUT: "1s" })
    expect(await running.exited).toEqual({ code: 1, signal: null })
    expect(running.stderr()).toMatch(waiting)
    expect(running.stderr().trimEnd().split("\n").at(-1)).toContain("ECONNREFUSED")
  }, 60_000)

  it("SIGTERM while a start waits → exit code 0", async () => {
    const running = await serve("postgres://u:secret@127.0.0.1:1/x")
    await untilLogged(running, waiting)
    running.child.kill("SIGTERM")
    expect(await running.exited).toEqual({ code: 0, signal: null })
  }, 60_000)

  it.each([
    ["wrong password", (url: URL) => (url.password = "wrong")],
    ["missing database", (url: URL) => (url.pathname = "/missing")]
  ])(
    "%s → exit code 1 at once",
    async (_, change) => {
      const url = new URL(await database.create())
      change(url)
      const running = await serve(url.href)
      expect(await running.exited).toEqual({ code: 1, signal: null })
      expect(running.stderr()).not.toMatch(waiting)
    },
    60_000
  )

  it("server read-only → start waits; read-only later → not ready, no stale reads; writable again → ready", async () => {
    const url = await database.create()
    await database.setReadOnly(url, true)
    const running = await serve(url)
    await untilLogged(running, /accepts no changes/)
    await database.setReadOnly(url, false)
    const [, service = ""] = await running.untilPrinted(/listens on (http:\/\/[^\s"]+)/)
    // The service creates its first key when it is ready.
    const [key] = await running.untilPrinted(/hf_[\w-]{49}/)
    await expect.poll(() => readiness(service), { timeout: 20_000 }).toBe(200)
    await database.setReadOnly(url, true)
    await expect.poll(() => readiness(service), { timeout: 20_000 }).toBe(503)
    const refused = await fetch(`${service}/api/v1/me`, { headers: { "x-api-key": key } })
    expect(refused.status).toBe(503)
    expect(refused.headers.get("retry-after")).not.toBeNull()
    await database.setReadOnly(url, false)
    await expect.poll(() => readiness(service), { timeout: 20_000 }).toBe(200)
  }, 90_000)

  it("schema of a newer version → exit code 2 with one line; a process that runs continues", async () => {
    const url = await database.create()
    const former = await Process.serve({ env: { DATABASE_URL: url } })
    await database.execute(url, "INSERT INTO holdfast_migration (migration_id, name) VALUES (9999, 'future')")
    const running = await serve(url)
    expect(await running.exited).toEqual({ code: 2, signal: null })
    expect(Process.withoutLog(running.stderr()).trimEnd()).toMatch(
      /^holdfast: The database has the schema of a newer version of Holdfast: migration 9999.*$/
    )
    expect(await readiness(former.url)).toBe(200)
  }, 60_000)
})

it("start with SQLite: schema of a newer version → exit code 2 with one line", async () => {
  const service = await Process.serve()
  await service.stop()
  const database = new DatabaseSync(Path.join(service.data, "holdfast.sqlite"))
  database.exec("INSERT INTO holdfast_migration (migration_id, name) VALUES (9999, 'future')")
  database.close()
  const { code, stderr } = await Process.run(["serve", "--port", "0", "--data-dir", service.data])
  expect(code).toBe(2)
  expect(Process.withoutLog(stderr).trimEnd()).toMatch(
    /^holdfast: The database has the schema of a newer version of Holdfast: migration 9999.*$/
  )
})
