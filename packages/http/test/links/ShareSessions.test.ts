/**
 * What a session of the page of a share costs: downloads that it counts, and the bytes of an archive whose client stops.
 */
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as SqliteMetadata from "@holdfast/sqlite/SqliteMetadata"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import * as Fs from "node:fs/promises"
import { get, type IncomingMessage } from "node:http"
import * as Os from "node:os"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as ShareSession from "./ShareSession.ts"

const chunk = new Uint8Array(64 * 1024)

describe("session of a share", () => {
  let server: TestServer.TestServer
  let directory: string
  let databaseFile: string
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let file: { readonly id: string; readonly path: string }
  let shares: string
  /** Bytes that were read of contents, and reads that have not ended. */
  let bytesRead = 0
  let reads = 0

  beforeAll(async () => {
    const inner = await Effect.runPromise(MemoryBlobStore.make)
    const read = (): Stream.Stream<Uint8Array> =>
      Stream.suspend(() => {
        reads++
        const endless = Stream.forever(Stream.succeed(chunk))
        return endless.pipe(
          Stream.tap(({ length }) => Effect.sync(() => void (bytesRead += length))),
          Stream.ensuring(Effect.sync(() => void reads--))
        )
      })
    directory = await Fs.mkdtemp(Path.join(Os.tmpdir(), "holdfast-shares-"))
    databaseFile = Path.join(directory, "holdfast.db")
    server = await TestServer.start({
      blobs: Layer.succeed(BlobStore, BlobStore.of({ ...inner, read })),
      metadata: SqliteMetadata.layer({ file: databaseFile })
    })
    bucket = await server.makeBucket()
    shares = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/shares`
    file = await server.makeFile(bucket, "a", { name: "a.txt", path: "/in/" })
    await server.makeFile(bucket, "b", { name: "b.txt", path: "/in/" })
  })
  afterAll(async () => {
    await server.close()
    await Fs.rm(directory, { recursive: true })
  })

  const create = async (input: object) =>
    json<ShareSession.Share>(await server.post(shares, { json: { name: "A share", path: "/in/", ...input } }))

  it("HEAD of a content → found, not counted, and no address of it; GET → counted", async () => {
    const share = await create({ maxDownloads: 1 })
    const cookie = await ShareSession.open(server.url, share)
    const request = (method: string, id = file.id) =>
      fetch(`${server.url}/s/${share.id}/files/${id}/download`, { method, headers: { cookie }, redirect: "manual" })
    for (let round = 0; round < 2; round++) {
      const head = await request("HEAD")
      expect([head.status, head.headers.get("location")]).toEqual([200, null])
    }
    expect((await request("HEAD", `${file.id.slice(0, -1)}x`)).status).toBe(404)
    expect((await request("GET")).status).toBe(307)
    await expectProblem(await request("GET"), 410, "share_exhausted")
  })

  it("ZIP archive of a folder with 100,001 files → 400 before its first byte, no download counted; folder below → 200", async () => {
    const database = new DatabaseSync(databaseFile, { timeout: 20_000 })
    onTestFinished(() => database.close())
    const columns = `id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at, updated_at`
    const insert = database.prepare(`WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 100001)
      INSERT INTO file (${columns}) SELECT 'fil_' || n, ?, ?, '/many/', n, 0, '{}', '[]', 0, 0 FROM s`)
    insert.run(bucket.tenantId, bucket.bucketId)
    await server.makeFile(bucket, "b", { name: "b.txt", path: "/many/below/" })
    const share = await create({ path: "/many/", maxDownloads: 1 })
    const cookie = await ShareSession.open(server.url, share)
    const zip = (query = "") => fetch(`${server.url}/s/${share.id}/zip${query}`, { headers: { cookie } })
    const { errors } = await expectProblem(await zip(), 400, "invalid_request")
    expect(errors).toEqual([
      { pointer: "/path", detail: "has more than 100000 files; download its folders one by one" }
    ])
    const below = await zip("?path=/many/below/")
    expect(below.status).toBe(200)
    await below.body?.cancel()
  })

  it("client of a ZIP archive reads no further, then disconnects → contents are read no further, then the read ends", async () => {
    const share = await create({})
    const cookie = await ShareSession.open(server.url, share)
    const request = get(`${server.url}/s/${share.id}/zip`, { headers: { cookie } })
    request.on("error", () => undefined)
    const [answer] = (await once(request, "response")) as [IncomingMessage]
    expect(answer.statusCode).toBe(200)
    let before = -1
    const hasStopped = () => {
      const isSame = bytesRead > 0 && bytesRead === before
      before = bytesRead
      return isSame
    }
    await expect.poll(hasStopped, { timeout: 20_000, interval: 200 }).toBe(true)
    // What the buffers of the two sockets hold.
    expect(bytesRead).toBeLessThan(64 * 1024 ** 2)
    expect(reads).toBe(1)
    answer.destroy()
    await expect.poll(() => reads, { timeout: 20_000 }).toBe(0)
  })
})
