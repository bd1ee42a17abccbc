/**
 * One service of two worker processes, on each database.
 */
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { requires } from "@holdfast/testing/Requires"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as ShiftedClock from "../support/ShiftedClock.ts"
import * as Connections from "./Connections.ts"

const count = 2

const parse = <A>(text: string): A => JSON.parse(text)

const statOf = (pid: number): string | undefined => {
  try {
    return Fs.readFileSync(`/proc/${pid}/stat`, "utf8")
  } catch {
    return undefined
  }
}

const isRunning = (pid: number): boolean => !/\) [ZX] /.test(statOf(pid) ?? ") X ")

/** Returns the ids of the worker processes of a service. */
const workersOf = ({ child }: Process.Running): ReadonlyArray<number> =>
  Fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8")
    .split(" ")
    .filter((text) => text !== "")
    .map(Number)
    .filter(isRunning)

/** Returns the numbers of the processes that have answered requests whose path matches. */
const answeredBy = ({ stdout }: Process.Running, path: RegExp): ReadonlySet<number> =>
  new Set(
    stdout()
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => parse<{ readonly worker?: number; readonly path?: string }>(line))
      .flatMap((entry) => (entry.worker !== undefined && path.test(entry.path ?? "") ? [entry.worker] : []))
  )

/** Returns the value of a metric; with several series, their sum. */
const metricOf = (text: string, series: RegExp): number =>
  text
    .split("\n")
    .filter((line) => series.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0)

/** Returns a body that sends a chunk every half second, for two seconds after the signal at least. */
const slowBody = (signal: AbortSignal): ReadableStream<Uint8Array> => {
  let left = 5
  return new ReadableStream({
    pull: async (controller) => {
      controller.enqueue(new Uint8Array(10_000))
      if (signal.aborted && --left === 0) return controller.close()
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  })
}

// A client that polls a revoked key exceeds the rate of failed authentications.
const parts = {
  HOLDFAST_WORKERS: String(count),
  HOLDFAST_CONVERSIONS: "0",
  HOLDFAST_RATE_FAILED_AUTHENTICATION: "off"
}

const suite = (kind: "SQLite" | "PostgreSQL") => () => {
  let database: Database.Database | undefined
  let bucket: ServiceBucket.ServiceBucket
  let clients: ReadonlyArray<Connections.Connection>
  let files = ""

  beforeAll(async () => {
    if (kind === "PostgreSQL") database = await Database.start()
  }, 60_000)
  afterAll(() => database?.close())

  const start = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    const url = await database?.create()
    bucket = await ServiceBucket.start({
      env: { ...parts, ...env, ...(url === undefined ? {} : { DATABASE_URL: url }) }
    })
    files = `/api/v1${bucket.files}`
    clients = Array.from({ length: 2 * count }, () => Connections.make(bucket.service.url, bucket.key))
    // Opens the connections one after the other, so that each process gets some.
    for (const client of clients) expect((await client.send("GET", "/health/live")).status).toBe(200)
    onTestFinished(() => clients.forEach(({ close }) => close()))
  }

  const client = (index: number): Connections.Connection => {
    const found = clients[index % clients.length]
    if (found === undefined) throw new Error("no client")
    return found
  }

  const upload = async (from: Connections.Connection, name: string, body: Uint8Array) => {
    const made = await from.send("POST", files, { body: JSON.stringify({ name }), type: "application/json" })
    expect(made.status).toBe(201)
    const { id } = parse<{ readonly id: string }>(made.text)
    expect((await from.send("POST", `${files}/${id}/reupload`, { body })).status).toBe(200)
    return id
  }

  it("change by one process → the others read it at once; metrics → sums; key revoked → refused by all", async () => {
    await start()
    const first = randomBytes(500)
    const id = await upload(client(0), "a.bin", first)
    for (const reader of clients) expect((await reader.send("GET", `${files}/${id}/view`)).body).toEqual(first)
    for (let round = 0; round < 40; round++) {
      const content = randomBytes(500)
      const [writer, reader] = [client(round), client(round + 1)]
      expect((await writer.send("POST", `${files}/${id}/reupload`, { body: content })).status).toBe(200)
      expect((await reader.send("GET", `${files}/${id}/view`)).body).toEqual(content)
      expect(parse<object>((await reader.send("GET", `${files}/${id}`)).text)).toMatchObject({ version: round + 2 })
    }
    await expect.poll(() => answeredBy(bucket.service, /\/view$/).size).toBe(count)

    const { text } = await client(0).send("GET", "/metrics")
    expect(metricOf(text, /^http_requests_total\{route="[^"]*\/view",.*status="200"/)).toBe(40 + clients.length)
    expect(metricOf(text, /^http_request_duration_seconds_count\{route="[^"]*\/view"/)).toBe(40 + clients.length)
    expect(metricOf(text, /^holdfast_uploads_committed_total /)).toBe(41)
    expect(metricOf(text, /^holdfast_worker_processes /)).toBe(count)
    expect(metricOf(text, /^http_connections_open /)).toBeGreaterThanOrEqual(clients.length)

    const tenant = `/tenants/${bucket.tenantId}`
    const member = await bucket.api.post(`${tenant}/members`, {
      json: { user: { email: "r@example.com" }, role: { name: "File Reader" } }
    })
    const { id: memberId } = parse<{ readonly id: string }>(await member.text())
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const token = await bucket.api.post(`${tenant}/tokens`, {
      json: { name: "t", member: { id: memberId }, expiresAt }
    })
    const { id: tokenId, key } = parse<{ readonly id: string; readonly key: string }>(await token.text())
    const statuses = () =>
      Promise.all(clients.map(async (reader) => (await reader.send("GET", `${files}/${id}/view`, { key })).status))
    expect(new Set(await statuses())).toEqual(new Set([200]))
    expect((await bucket.api.delete(`${tenant}/tokens/${tokenId}`)).status).toBe(204)
    const revokedAt = performance.now()
    await expect.poll(async () => [...new Set(await statuses())], { timeout: 10_000, interval: 20 }).toEqual([401])
    expect(performance.now() - revokedAt).toBeLessThan(5000)
  }, 60_000)

  it("a worker process killed under uploads → acknowledged contents are there, others go on, another one starts", async () => {
    await start()
    const acknowledged = new Map<string, Buffer>()
    const over = new AbortController()
    const run = async (index: number): Promise<void> => {
      let connection = Connections.make(bucket.service.url, bucket.key)
      for (let round = 0; !over.signal.aborted; round++) {
        const content = randomBytes(2000)
        try {
          acknowledged.set(await upload(connection, `${index}-${round}.bin`, content), content)
        } catch {
          connection.close()
          connection = Connections.make(bucket.service.url, bucket.key)
        }
      }
      connection.close()
    }
    const uploads = Promise.all(Array.from({ length: 6 }, (_, index) => run(index)))
    for (let number = 0; number < count; number++) {
      const before = workersOf(bucket.service)
      const [killed = 0] = before.slice(number)
      const enough = acknowledged.size + 20
      await expect.poll(() => acknowledged.size, { timeout: 20_000 }).toBeGreaterThan(enough)
      process.kill(killed, "SIGKILL")
      const during = acknowledged.size
      await expect.poll(() => acknowledged.size, { timeout: 20_000 }).toBeGreaterThan(during + 20)
      await expect
        .poll(
          async () =>
            metricOf(await (await fetch(`${bucket.service.url}/metrics`)).text(), /^holdfast_worker_processes /),
          { timeout: 30_000 }
        )
        .toBe(count)
      expect(workersOf(bucket.service)).not.toContain(killed)
    }
    over.abort()
    await uploads
    const reader = Connections.make(bucket.service.url, bucket.key)
    for (const [id, content] of acknowledged) {
      expect((await reader.send("GET", `${files}/${id}/view`)).body.equals(content)).toBe(true)
    }
    const { text } = await reader.send("GET", "/metrics")
    expect(metricOf(text, /^holdfast_worker_restarts_total /)).toBe(count)
    reader.close()
  }, 120_000)

  // What follows does not depend on the database.
  if (kind === "PostgreSQL") return

  it("SIGTERM → requests of all processes complete, exit code 0", async () => {
    // Without a delay, the requests may arrive after their connections were closed as idle ones.
    await start({ HOLDFAST_DRAIN_DELAY: "2s" })
    const content = randomBytes(200_000)
    const ids = await Promise.all(clients.map((from, index) => upload(from, `${index}.bin`, randomBytes(10))))
    const answers = ids.map((id, index) => client(index).send("POST", `${files}/${id}/reupload`, { body: content }))
    bucket.service.child.kill("SIGTERM")
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200)
    expect(await bucket.service.exited).toEqual({ code: 0, signal: null })
  }, 60_000)

  it("SIGTERM while a worker process starts → exit code 0 at once", async () => {
    const data = await Process.makeDirectory()
    // A process that reads a file starts more slowly than its first message arrives.
    const config = `${data}/holdfast.json`
    Fs.writeFileSync(config, JSON.stringify({ shutdownTimeout: "1s" }))
    const service = Process.start(["serve", "--port", "0", "--data-dir", data, "--config", config], { env: parts })
    await expect.poll(() => workersOf(service).length, { timeout: 10_000, interval: 5 }).toBe(1)
    service.kill("SIGTERM")
    expect(await service.exited).toEqual({ code: 0, signal: null })
    expect(service.stderr()).not.toContain("it did not stop in time")
  }, 60_000)

  it("clock stepped by 10 minutes, first worker process killed → uploads to the others are stored", async () => {
    const clock = await ShiftedClock.make(0)
    await start({ HOLDFAST_SWEEP_INTERVAL: "1s", ...clock.env })
    const isReplaced = new AbortController()
    const uploads = Array.from({ length: 4 * count }, async (_, index) => {
      const made = await bucket.api.post(bucket.files, { json: { name: `${index}.bin` } })
      const { id } = parse<{ readonly id: string }>(await made.text())
      const body = slowBody(isReplaced.signal)
      const headers = { "content-type": "application/octet-stream" }
      return bucket.api.post(`${bucket.files}/${id}/reupload`, { body, headers }).then(
        ({ status }) => status,
        () => "aborted" as const
      )
    })
    const metric = async (series: RegExp) =>
      metricOf(await (await fetch(`${bucket.service.url}/metrics`)).text(), series)
    const bound = { timeout: 30_000, interval: 50 }
    await expect.poll(() => metric(/^http_received_bytes_total /), bound).toBeGreaterThan(8 * count * 10_000)

    await clock.step(bucket.service, 10)
    const [first = 0, ...others] = workersOf(bucket.service)
    for (const pid of others) process.kill(pid, "SIGUSR2")
    process.kill(first, "SIGKILL")
    await expect.poll(() => metric(/^holdfast_worker_restarts_total /), bound).toBe(1)
    await expect.poll(() => metric(/^holdfast_worker_processes /), bound).toBe(count)
    isReplaced.abort()
    const outcomes = new Set(await Promise.all(uploads))
    outcomes.delete("aborted")
    expect(outcomes).toEqual(new Set([200]))
    expect((await fetch(`${bucket.service.url}/health/ready`)).status).toBe(200)
  }, 90_000)

  it("a worker process killed before it accepts a connection → no client waits", async () => {
    await start()
    const [stuck = 0] = workersOf(bucket.service)
    process.kill(stuck, "SIGSTOP")
    const news = Array.from({ length: 3 * count }, () => Connections.make(bucket.service.url, bucket.key))
    const answers = news.map((connection) =>
      connection.send("GET", "/health/live").then(
        ({ status }) => String(status),
        () => "closed"
      )
    )
    // The other processes answer those that the supervisor has given to them.
    expect(await Promise.race(answers)).toBe("200")
    process.kill(stuck, "SIGKILL")
    const outcomes = await Promise.all(answers)
    expect(new Set(outcomes)).toEqual(new Set(["200", "closed"]))
    news.forEach(({ close }) => close())
  }, 60_000)

  it("rate of a key used up at one process → refused by the others, too", async () => {
    await start({ HOLDFAST_RATE_KEY: "600/1d" })
    const path = `/api/v1/tenants/${bucket.tenantId}`
    let last = 200
    while (last === 200) last = (await client(0).send("GET", path)).status
    expect(last).toBe(429)
    for (const other of clients) {
      let admitted = 0
      while ((await other.send("GET", path)).status === 200) admitted++
      expect(admitted).toBeLessThan(300)
    }
    await expect.poll(() => answeredBy(bucket.service, new RegExp(`^${path}$`)).size).toBe(count)
  }, 60_000)

  it("supervisor killed → its processes end, and the data directory is free", async () => {
    await start()
    const id = await upload(client(0), "a.bin", Buffer.from("a"))
    const workers = workersOf(bucket.service)
    expect(workers).toHaveLength(count)
    await bucket.service.stop("SIGKILL")
    await expect.poll(() => workers.filter(isRunning), { timeout: 20_000 }).toEqual([])
    const next = await Process.serve({ data: bucket.service.data, env: parts })
    const reader = Connections.make(next.url, bucket.key)
    expect((await reader.send("GET", `${files}/${id}/view`)).text).toBe("a")
    reader.close()
  }, 60_000)
}

describe("worker processes on SQLite", suite("SQLite"))
requires(Database.missing).describe("worker processes on PostgreSQL", suite("PostgreSQL"))
