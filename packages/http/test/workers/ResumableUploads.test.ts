/**
 * Uploads by tus whose requests reach different worker processes of one service, on each database.
 */
import { randomBytes } from "node:crypto"
import { requires } from "@holdfast/testing/Requires"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import * as Database from "../support/Database.ts"
import type * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Tus from "../uploads/Tus.ts"
import * as Connections from "./Connections.ts"

/** Returns the number of the worker process that answers a client. */
const workerOf = async ({ stdout }: Process.Running, client: Connections.Connection): Promise<string> => {
  const path = `/api/v1/tenants/${crypto.randomUUID()}`
  await client.send("GET", path)
  const find = () =>
    stdout()
      .split("\n")
      .find((line) => line.startsWith("{") && line.includes(path))
  await expect.poll(find).toBeDefined()
  return /"worker":(\d+)/.exec(find() ?? "")?.[1] ?? ""
}

/** Returns clients of two worker processes. */
const connect = async (service: Process.Service, key: string) => {
  const byWorker = new Map<string, Connections.Connection>()
  // Connections that are opened one after the other go to the processes in turns.
  for (let opened = 0; byWorker.size < 2 && opened < 16; opened++) {
    const client = Connections.make(service.url, key)
    onTestFinished(client.close)
    byWorker.set(await workerOf(service, client), client)
  }
  const [one, other] = byWorker.values()
  if (one === undefined || other === undefined) throw new Error("All connections reached one process.")
  return [one, other] as const
}

/** Requests of tus by a connection. */
const tusOf = ({ send }: Connections.Connection) => ({
  create: (uploads: string, filename: string, length: number) =>
    send("POST", uploads, {
      headers: { ...Tus.resumable, "upload-length": String(length), "upload-metadata": Tus.pairs({ filename }) }
    }),
  patch: (path: string, offset: number, body: Uint8Array) =>
    send("PATCH", path, {
      body,
      type: Tus.offsetType,
      headers: { ...Tus.resumable, "upload-offset": String(offset) }
    }),
  head: (path: string) => send("HEAD", path, { headers: Tus.resumable }),
  remove: (path: string) => send("DELETE", path, { headers: Tus.resumable }),
  send
})

const suite = (kind: "SQLite" | "PostgreSQL") => () => {
  let database: Database.Database | undefined
  beforeAll(async () => {
    if (kind === "PostgreSQL") database = await Database.start()
  }, 60_000)
  afterAll(() => database?.close())

  it("POST, PATCH, HEAD and DELETE by two worker processes in turns → as by one; two at one offset → one wins", async () => {
    const url = await database?.create()
    const env = { HOLDFAST_WORKERS: "2", ...(url === undefined ? {} : { DATABASE_URL: url }) }
    const { files, key, service } = await ServiceBucket.start({ env })
    const uploads = `/api/v1${files}/uploads`
    const [one, other] = (await connect(service, key)).map(tusOf)
    if (one === undefined || other === undefined) throw new Error("no clients")
    const create = async (filename: string, length: number): Promise<string> => {
      const { headers, status } = await one.create(uploads, filename, length)
      expect(status).toBe(201)
      return headers.location ?? ""
    }
    const content = randomBytes(9000)

    const path = await create("in turns", 9000)
    expect((await other.patch(path, 0, content.subarray(0, 4000))).status).toBe(204)
    expect((await one.head(path)).headers["upload-offset"]).toBe("4000")
    expect((await one.patch(path, 0, content.subarray(0, 4000))).status).toBe(409)
    expect((await one.patch(path, 4000, content.subarray(4000, 7000))).status).toBe(204)
    expect((await other.head(path)).headers["upload-offset"]).toBe("7000")
    const { headers } = await other.patch(path, 7000, content.subarray(7000))
    const read = await one.send("GET", `/api/v1${files}/${String(headers["holdfast-file-id"])}/view`)
    expect(read.body.equals(content)).toBe(true)

    for (let round = 0; round < 5; round++) {
      const raced = await create(`raced ${round}`, 9000)
      const contents = [randomBytes(9000), randomBytes(9000)] as const
      const answers = await Promise.all([one.patch(raced, 0, contents[0]), other.patch(raced, 0, contents[1])])
      const winners = answers.flatMap(({ status }, index) => (status === 204 ? [index] : []))
      expect(winners).toHaveLength(1)
      const [winner = 0] = winners
      expect([404, 409]).toContain(answers[1 - winner]?.status)
      const id = String(answers[winner]?.headers["holdfast-file-id"])
      const won = await other.send("GET", `/api/v1${files}/${id}/view`)
      expect(won.body.equals(contents[winner] ?? content)).toBe(true)
    }

    const ended = await create("ended", 9000)
    expect((await other.patch(ended, 0, content.subarray(0, 10))).status).toBe(204)
    expect((await one.remove(ended)).status).toBe(204)
    expect((await other.head(ended)).status).toBe(404)
    expect((await other.patch(ended, 10, content.subarray(10))).status).toBe(404)
  }, 60_000)
}

describe("resumable uploads of several processes on SQLite", suite("SQLite"))
requires(Database.missing).describe("resumable uploads of several processes on PostgreSQL", suite("PostgreSQL"))
