/**
 * tus-js-client against the service, on one node and on two: by tus, and by the draft of the IETF.
 */
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import { requires } from "@holdfast/testing/Requires"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { connect, createServer, type Socket } from "node:net"
import { Readable } from "node:stream"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import * as TusClient from "tus-js-client"
import * as Database from "../support/Database.ts"
import { json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Tus from "./Tus.ts"

const megabyte = 1024 * 1024
const bytes = new Uint8Array(randomBytes(12 * megabyte))

/** Uploads by the client. Returns the id of the file. */
const upload = (source: Buffer | Readable, options: TusClient.UploadOptions): Promise<string> =>
  new Promise((resolve, reject) => {
    new TusClient.Upload(source, {
      retryDelays: [0, 10, 50, 100, 200],
      ...options,
      onError: reject,
      onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader("Holdfast-File-Id") ?? "")
    }).start()
  })

/** A proxy that cuts its connections after so many bytes from the client, as often as given. */
const cutting = async (url: string, { after, times }: { readonly after: number; readonly times: number }) => {
  const { hostname, port } = new URL(url)
  let left = times
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    let passed = 0
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket
        .on("error", () => undefined)
        .on("close", () => {
          client.destroy()
          server.destroy()
        })
    }
    client.on("data", (chunk: Buffer) => {
      passed += chunk.length
      if (!server.write(chunk)) {
        client.pause()
        server.once("drain", () => client.resume())
      }
      if (passed >= after && left > 0) {
        left--
        // The bytes that were passed on arrive before the end of the connection.
        client.destroy()
        server.end()
      }
    })
    server.pipe(client)
  })
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const address = proxy.address()
  if (address === null || typeof address === "string") throw new Error("The proxy listens on no port.")
  return { url: `http://127.0.0.1:${address.port}`, left: () => left }
}

describe("tus-js-client", () => {
  let server: TestServer.TestServer
  let bucket: Tus.Bucket
  beforeAll(async () => {
    server = await TestServer.start()
    bucket = await server.makeBucket()
  })
  afterAll(() => server.close())

  const optionsFor = (name: string, url = server.url): TusClient.UploadOptions => ({
    endpoint: `${url}/api/v1${Tus.filesOf(bucket)}/uploads`,
    headers: { "x-api-key": server.rootKey },
    metadata: { filename: name, filetype: "application/x-test" }
  })
  const sha256Of = async (id: string) =>
    Tus.sha256(new Uint8Array(await (await server.get(`${Tus.filesOf(bucket)}/${id}/view`)).arrayBuffer()))

  it("one request, chunks, data with the creation, a stream of unknown length, four parts at once → the same file", async () => {
    const ways: Readonly<Record<string, TusClient.UploadOptions>> = {
      whole: {},
      chunks: { chunkSize: 3 * megabyte },
      creation: { uploadDataDuringCreation: true, chunkSize: 5 * megabyte },
      parallel: { parallelUploads: 4 },
      override: { overridePatchMethod: true, chunkSize: 5 * megabyte },
      stream: { uploadLengthDeferred: true, chunkSize: 5 * megabyte }
    }
    for (const [name, options] of Object.entries(ways)) {
      const source = name === "stream" ? Readable.from([Buffer.from(bytes)]) : Buffer.from(bytes)
      const id = await upload(source, { ...optionsFor(name), ...options })
      const file = await json(await server.get(`${Tus.filesOf(bucket)}/${id}`))
      expect(file).toMatchObject({ name, contentType: "application/x-test" })
      expect([name, await sha256Of(id)]).toEqual([name, Tus.sha256(bytes)])
    }
  })

  it("line that is cut five times → the client continues, bytes right", async () => {
    const { left, url } = await cutting(server.url, { after: 2 * megabyte, times: 5 })
    const id = await upload(Buffer.from(bytes), optionsFor("cut", url))
    expect(left()).toBe(0)
    expect(await sha256Of(id)).toBe(Tus.sha256(bytes))
  })

  it("draft of the IETF, interop version 6: whole, and over a cut line → bytes right", async () => {
    // The declarations of the client do not have its option.
    const inDraft = { protocol: "ietf-draft-05" }
    for (const [name, times] of [
      ["draft", 0],
      ["draft-cut", 3]
    ] as const) {
      const { url } = await cutting(server.url, { after: 2 * megabyte, times })
      const id = await upload(Buffer.from(bytes), { ...optionsFor(name, url), ...inDraft })
      expect(await sha256Of(id)).toBe(Tus.sha256(bytes))
    }
  })

  it("key of an upload link, token of a share, over a cut line → the client continues, bytes right", async () => {
    const base = Tus.filesOf(bucket).replace(/\/files$/, "")
    const terms = { path: "/in/", maxBytes: bytes.length, expiresIn: 60 }
    const link = await json<{ url: string }>(await server.post(`${base}/upload-links`, { json: terms }))
    const rights = { name: "inbox", path: "/in/", may: ["upload"] }
    const share = await json<{ token: string }>(await server.post(`${base}/shares`, { json: rights }))
    for (const key of [new URL(link.url, server.url).searchParams.get("apiKey") ?? "", share.token]) {
      const { left, url } = await cutting(server.url, { after: 2 * megabyte, times: 2 })
      // The share gives a file another name where its own is taken.
      const id = await upload(Buffer.from(bytes), { ...optionsFor("linked", url), headers: { "x-api-key": key } })
      expect(left()).toBe(0)
      expect(await sha256Of(id)).toBe(Tus.sha256(bytes))
    }
  })

  it("abort with termination → upload is gone", async () => {
    const url = await new Promise<string>((resolve, reject) => {
      const one: TusClient.Upload = new TusClient.Upload(Buffer.from(bytes), {
        ...optionsFor("aborted"),
        chunkSize: megabyte,
        onError: reject,
        onChunkComplete: () => void one.abort(true).then(() => resolve(one.url ?? ""), reject)
      })
      one.start()
    })
    expect((await fetch(url, { method: "HEAD", headers: { "x-api-key": server.rootKey } })).status).toBe(404)
  })
})

requires(Database.missing).describe("two nodes on PostgreSQL", () => {
  it("creation, each PATCH and HEAD at another node → one file; append of one node that another has taken over → ends", async () => {
    const database = await Database.start()
    onTestFinished(() => database.close())
    const memory = await Effect.runPromise(Effect.provide(BlobStore, MemoryBlobStore.layer))
    let puts = 0
    const store: BlobStore["Service"] = {
      ...memory,
      put: (...call) =>
        Effect.suspend(() => {
          puts++
          return memory.put(...call)
        })
    }
    const url = Redacted.make(await database.create())
    const startNode = async () => {
      const node = await TestServer.start({
        metadata: PostgresMetadata.layer({ url }),
        blobs: Layer.succeed(BlobStore, store)
      })
      onTestFinished(() => node.close())
      return node
    }
    const first = await startNode()
    const second = await startNode()
    const bucket = await first.makeBucket()
    const other = Tus.make(
      {
        ...second,
        request: (method, path, options) => second.request(method, path, { key: first.rootKey, ...options })
      },
      bucket
    )
    const tus = Tus.make(first, bucket)
    const part = bytes.slice(0, 100_000)
    const path = await tus.create({ filename: "nodes" }, { "upload-length": "100000" })
    expect((await other.patch(path, 0, part.slice(0, 10))).status).toBe(204)
    expect((await tus.head(path)).headers.get("upload-offset")).toBe("10")

    // A body that does not end: the other node takes the upload over meanwhile.
    let send: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (send = controller) })
    const stalled = first.request("PATCH", path.replace("/api/v1", ""), {
      body,
      headers: { ...Tus.resumable, "content-type": Tus.offsetType, "upload-offset": "10" }
    })
    send?.enqueue(part.slice(10, 20))
    await expect.poll(() => puts).toBe(2)
    expect((await other.head(path)).headers.get("upload-offset")).toBe("10")
    const last = await other.patch(path, 10, part.slice(10))
    expect(last.status).toBe(204)
    send?.close()
    expect([404, 409]).toContain((await stalled).status)
    const id = last.headers.get("holdfast-file-id")
    const content = await first.get(`${tus.uploads.replace("/uploads", "")}/${id}/view`)
    expect(Tus.sha256(new Uint8Array(await content.arrayBuffer()))).toBe(Tus.sha256(part))
  })
})
