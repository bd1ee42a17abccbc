/**
 * What a session of the page of a share costs: downloads that it counts, and the bytes of an archive whose client stops.
 */
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as ShareSession from "./ShareSession.ts"

const chunk = new Uint8Array(64 * 1024)

describe("session of a share", () => {
  let server: TestServer.TestServer
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
    server = await TestServer.start({ blobs: Layer.succeed(BlobStore, BlobStore.of({ ...inner, read })) })
    const bucket = await server.makeBucket()
    shares = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/shares`
    file = await server.makeFile(bucket, "a", { name: "a.txt", path: "/in/" })
    await server.makeFile(bucket, "b", { name: "b.txt", path: "/in/" })
  })
  afterAll(() => server.close())

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
