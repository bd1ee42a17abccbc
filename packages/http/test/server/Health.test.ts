import { command, requires } from "@holdfast/testing/Requires"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { json } from "../support/Problems.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"

interface Health {
  readonly status: number
  readonly body: {
    readonly checks: { readonly metadata: string; readonly blobs: string }
    readonly [name: string]: unknown
  }
  readonly headers: Headers
}

const getReady = async (url: string): Promise<Health> => {
  const answer = await fetch(`${url}/health/ready`)
  return { status: answer.status, headers: answer.headers, body: await json(answer) }
}

/** Polls until the answer has this status; the service reuses its answer for one second. */
const pollUntilStatus = async (url: string, status: number): Promise<Health> => {
  for (;;) {
    const health = await getReady(url)
    if (health.status === status) return health
  }
}

const straceMissing = command("strace", "-f", "-e", "trace=fsync", "true")

describe("health", () => {
  it("running service → live and ready", async () => {
    const { url } = await Process.serve()
    expect(await (await fetch(`${url}/health/live`)).json()).toEqual({ status: "ok" })
    expect(await getReady(url)).toMatchObject({ status: 200, body: { checks: { metadata: "ok", blobs: "ok" } } })
  })

  it("method other than GET → 405 with Allow", async () => {
    const { url } = await Process.serve()
    const answer = await fetch(`${url}/health/ready`, { method: "POST" })
    expect(answer.status).toBe(405)
    expect(answer.headers.get("allow")).toBe("GET, HEAD")
  })

  it("data directory unusable → not ready with the failed store named, still live; usable again → ready", async () => {
    const { data, url } = await Process.serve()
    await Fs.rename(Path.join(data, "tmp"), Path.join(data, "gone"))
    const health = await pollUntilStatus(url, 503)
    expect(health.body).toMatchObject({
      type: "urn:holdfast:problem:unavailable",
      code: "unavailable",
      status: 503,
      detail: "Not ready: blobs.",
      checks: { metadata: "ok", blobs: "unavailable" }
    })
    expect(health.headers.get("content-type")).toBe("application/problem+json")
    expect(health.headers.get("retry-after")).not.toBeNull()
    expect(JSON.stringify(health.body)).not.toContain(data)
    expect((await fetch(`${url}/health/live`)).status).toBe(200)
    await Fs.rename(Path.join(data, "gone"), Path.join(data, "tmp"))
    await pollUntilStatus(url, 200)
  })
})

requires(Database.missing).describe("health with PostgreSQL", () => {
  let database: Database.Database
  let url: string
  beforeAll(async () => {
    database = await Database.start()
    url = await database.create()
  })
  afterAll(() => database.close())

  it("database stopped → not ready, failures counted; started again → ready", async () => {
    const bucket = await ServiceBucket.start({ env: { DATABASE_URL: url } })
    const path = await ServiceBucket.uploadFile(bucket, "a.txt", new TextEncoder().encode("Hello"))
    expect(await (await bucket.api.get(`${path}/view`)).text()).toBe("Hello")
    expect(await Fs.readdir(bucket.service.data)).not.toContain("holdfast.sqlite")

    await database.stop()
    const health = await pollUntilStatus(bucket.service.url, 503)
    expect(health.body).toMatchObject({ checks: { metadata: "unavailable", blobs: "ok" } })
    expect(JSON.stringify(health.body)).not.toMatch(/postgres|127\.0\.0\.1|password/i)

    const metrics = await (await fetch(`${bucket.service.url}/metrics`)).text()
    expect(metrics).toMatch(/^holdfast_metadata_errors_total\{operation="[\w.]+",reason="Unavailable"\} [1-9]/m)

    await database.start()
    await pollUntilStatus(bucket.service.url, 200)
    expect(await (await bucket.api.get(`${path}/view`)).text()).toBe("Hello")
    expect(await bucket.service.stop()).toEqual({ code: 0, signal: null })
    expect(bucket.service.stderr()).not.toContain(decodeURIComponent(new URL(url).password))
    expect(bucket.service.stderr()).not.toContain(new URL(url).password)
  })

  requires(straceMissing).describe("failing disk", () => {
    it("syncs of the disk fail → upload refused, not ready; syncs work again → ready", async () => {
      const bucket = await ServiceBucket.start({ env: { DATABASE_URL: await database.create() } })
      const path = await ServiceBucket.uploadFile(bucket, "a.txt", new TextEncoder().encode("Hello"))
      await pollUntilStatus(bucket.service.url, 200)
      const args = ["-f", "-p", String(bucket.service.child.pid), "-e", "trace=fsync", "-e", "inject=fsync:error=EIO"]
      const strace = spawn("strace", args, { stdio: ["ignore", "ignore", "pipe"] })
      await once(strace.stderr, "data")
      const refused = await bucket.api.post(`${path}/reupload`, { body: "Good bye" })
      expect(refused.status).toBe(503)
      const health = await pollUntilStatus(bucket.service.url, 503)
      expect(health.body).toMatchObject({ checks: { metadata: "ok", blobs: "unavailable" } })
      strace.kill("SIGINT")
      await once(strace, "exit")
      await pollUntilStatus(bucket.service.url, 200)
      expect(await (await bucket.api.get(`${path}/view`)).text()).toBe("Hello")
    })
  })
})
