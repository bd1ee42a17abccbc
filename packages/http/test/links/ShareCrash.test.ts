/**
 * The caps of a share, with real processes: uploads at the same time never exceed them, and a crash leaves no upload counted that stored
 * no file.
 */
import { requires } from "@holdfast/testing/Requires"
import { connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Database from "../support/Database.ts"
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

const maxFiles = 6
const size = 100
const options = { HOLDFAST_ACCESS_LOG: "off", HOLDFAST_CONVERSIONS: "0", HOLDFAST_QUOTA_BYTES: "1000000" }

const run = async (env: Readonly<Record<string, string>>): Promise<void> => {
  const data = await Process.makeDirectory()
  const bucket = await ServiceBucket.start({ env, data })
  const { files, key, tenantId } = bucket
  const shares = files.replace(/files$/, "shares")
  const terms = { name: "inbox", path: "/inbox/", may: ["upload"], maxFiles, maxBytes: maxFiles * size }
  const share = await json<{ id: string; token: string }>(await bucket.api.post(shares, { json: terms }))
  let service = bucket.service
  let api = bucket.api

  const restart = async () => {
    await service.stop("SIGKILL")
    service = await Process.serve({ env, data })
    api = Requests.make(`${service.url}/api/v1`, key)
  }
  const counted = async () => {
    const { uploadedBytes, uploadedFiles } = await json<{ uploadedFiles: number; uploadedBytes: number }>(
      await api.get(`${shares}/${share.id}`)
    )
    return { uploadedFiles, uploadedBytes }
  }
  const stored = async () => {
    const { items } = await json<{ items: ReadonlyArray<unknown> }>(
      await api.get(files, { query: { path: "/inbox/" } })
    )
    return { uploadedFiles: items.length, uploadedBytes: items.length * size }
  }
  /** Sends uploads at the same time. Returns their statuses; 0 for one without an answer. */
  const send = (number: number) =>
    Promise.all(
      Array.from({ length: number }, (_, index) =>
        api
          .request("PUT", `${files}/upload`, {
            body: new Uint8Array(size),
            key: null,
            query: { name: `f${index}`, apiKey: share.token }
          })
          .then(
            ({ status }) => status,
            () => 0
          )
      )
    )

  // The process dies while it receives a content.
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname).on("error", () => undefined)
  onTestFinished(() => void socket.destroy())
  socket.write(
    `PUT /api/v1${files}/upload?name=killed&apiKey=${share.token} HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\nsome bytes`
  )
  const reserved = async () =>
    (await json<{ usage: { reservedBytes: number } }>(await api.get(`/tenants/${tenantId}/usage`))).usage.reservedBytes
  await expect.poll(reserved, { timeout: 20_000 }).toBe(size)
  await restart()
  expect(await counted()).toEqual({ uploadedFiles: 0, uploadedBytes: 0 })

  // The process dies after the first of several answers.
  const first = Promise.race(Array.from({ length: 3 }, () => send(1)))
  await first
  await restart()
  const survived = await counted()
  expect(survived.uploadedFiles).toBeGreaterThan(0)
  expect(survived).toEqual(await stored())

  // As many as fit, not more.
  const statuses = await send(20)
  const room = maxFiles - survived.uploadedFiles
  expect(statuses.filter((status) => status === 201)).toHaveLength(room)
  expect(statuses.filter((status) => status === 410)).toHaveLength(20 - room)
  expect(await counted()).toEqual({ uploadedFiles: maxFiles, uploadedBytes: maxFiles * size })
  expect(await stored()).toEqual(await counted())
}

const title =
  "kill -9 during uploads → the share counts the files that are stored, and takes as many as its caps permit"

describe("uploads by a share, SQLite", () => {
  it(title, { timeout: 60_000 }, () => run(options))
})

requires(Database.missing).describe("uploads by a share, PostgreSQL", () => {
  it(title, { timeout: 60_000 }, async () => {
    const database = await Database.start()
    onTestFinished(() => database.close())
    await run({ ...options, DATABASE_URL: await database.create() })
  })
})
