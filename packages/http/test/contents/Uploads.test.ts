/**
 * Uploads by correct and by incorrect clients: every acknowledged content is stored, and refused ones leave nothing behind.
 */
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { afterAll, afterEach, assert, beforeAll, describe, expect, it } from "vitest"
import { digestHeader } from "../support/Hashes.ts"
import * as TestServer from "../support/TestServer.ts"
import { form } from "./Forms.ts"
import * as RawClient from "./RawClient.ts"

const limit = 100_000

/** The paths in a directory that this process, which runs the server, has open. */
const openFiles = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = Fs.readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(directory) && !target.includes("lock.") ? [target] : []
    } catch {
      // Closed in the meantime.
      return []
    }
  })

const filesBelow = (directory: string): number =>
  Fs.readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

describe("uploads", () => {
  let server: TestServer.TestServer
  let files: string
  let bucket: { readonly tenantId: string; readonly bucketId: string }

  beforeAll(async () => {
    server = await TestServer.start({ settings: { maxUploadBytes: limit } })
    bucket = await server.makeBucket()
    files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
  })
  afterAll(() => server.close())

  const count = async (): Promise<number> => {
    const page = (await (await server.get(files, { query: { recursive: "true", limit: "1000" } })).json()) as {
      readonly items: ReadonlyArray<unknown>
    }
    return page.items.length
  }

  afterEach(async () => {
    // After each test, no blob is open and no temporary file is left.
    await expect.poll(() => openFiles(server.directory).length).toBe(0)
    await expect.poll(() => filesBelow(`${server.directory}/tmp`)).toBe(0)
  })

  /** The number of uploads in progress. */
  const pendingCount = () =>
    server.run(
      BlobRepository.use(({ list }) =>
        Effect.map(list({ limit: 1000 }), (rows) => rows.filter(({ state }) => state === "PENDING").length)
      )
    )

  const codeOf = async (response: Response): Promise<string> => {
    const { code } = (await response.json()) as { readonly code: string }
    return `${response.status} ${code}`
  }

  const description = (name: string, more: object = {}) => JSON.stringify({ name, ...more })
  const upload = (body: FormData, headers: Record<string, string> = {}) =>
    server.post(`${files}/upload`, { body, headers })

  describe("form", () => {
    it("parts in either order → 201", async () => {
      const first = await upload(form(["body", description("a")], ["file", new Blob(["one"])]))
      const last = await upload(form(["file", new Blob(["two"])], ["body", description("b", { path: "/x" })]))
      assert.deepStrictEqual([first.status, last.status], [201, 201])
      const { id, path } = (await last.json()) as { readonly id: string; readonly path: string }
      assert.strictEqual(path, "/x/")
      assert.strictEqual(await (await server.get(`${files}/${id}/view`)).text(), "two")
    })

    it("body without name → the file name of the part", async () => {
      const response = await upload(form(["file", new Blob(["x"]), "Grüße 😀.txt"]))
      assert.strictEqual(response.status, 201)
      assert.deepInclude(await response.json(), { name: "Grüße 😀.txt", path: "/" })
    })

    it("empty file → 201, an empty content", async () => {
      const response = await upload(form(["body", description("empty")], ["file", new Blob([])]))
      const { id } = (await response.json()) as { readonly id: string }
      const view = await server.get(`${files}/${id}/view`)
      assert.deepStrictEqual([view.status, view.headers.get("content-length"), await view.text()], [200, "0", ""])
    })

    const refused: ReadonlyArray<readonly [string, () => FormData]> = [
      ["no file", () => form(["body", description("n1")])],
      ["two files", () => form(["file", new Blob(["1"])], ["body", description("n2")], ["file", new Blob(["2"])])],
      ["two bodies", () => form(["body", description("n3")], ["body", description("n3")], ["file", new Blob(["1"])])],
      ["a body that is not JSON", () => form(["body", "{"], ["file", new Blob(["1"])])],
      ["a body that is not JSON, after the file", () => form(["file", new Blob(["1"])], ["body", "{"])],
      ["an invalid name", () => form(["body", description("../x")], ["file", new Blob(["1"])])],
      ["an invalid name, after the file", () => form(["file", new Blob(["1"])], ["body", description("")])]
    ]
    for (const [fault, make] of refused) {
      it(`${fault} → 400, nothing is stored`, async () => {
        const before = [await count(), filesBelow(`${server.directory}/blobs`)]
        assert.strictEqual(await codeOf(await upload(make())), "400 invalid_request")
        assert.deepStrictEqual([await count(), filesBelow(`${server.directory}/blobs`)], before)
      })
    }

    it("another media type → 415", async () => {
      const response = await server.post(`${files}/upload`, { json: { name: "x" } })
      assert.strictEqual(await codeOf(response), "415 unsupported_media_type")
    })

    it("If-Match → 412; name taken → 409, with If-None-Match: * → 412", async () => {
      const make = () => form(["body", description("once")], ["file", new Blob(["x"])])
      assert.strictEqual(await codeOf(await upload(make(), { "if-match": '"x"' })), "412 precondition_failed")
      assert.strictEqual((await upload(make())).status, 201)
      assert.strictEqual(await codeOf(await upload(make())), "409 file_exists")
      assert.strictEqual(await codeOf(await upload(make(), { "if-none-match": "*" })), "412 precondition_failed")
    })

    it("form without its last boundary → 400, nothing is stored", async () => {
      const before = [await count(), filesBelow(`${server.directory}/blobs`)]
      const body = Buffer.concat([
        RawClient.part("b", 'name="body"', description("cut")),
        RawClient.part("b", 'name="file"; filename="cut"', "half of")
      ])
      const connection = await RawClient.connect(server.url)
      await connection.write(
        RawClient.head("POST", `/api/v1${files}/upload`, {
          "X-Api-Key": server.rootKey,
          "Content-Type": "multipart/form-data; boundary=b",
          "Content-Length": body.length
        })
      )
      await connection.write(body)
      const response = await connection.response()
      assert.strictEqual(response.status, 400)
      assert.deepStrictEqual([await count(), filesBelow(`${server.directory}/blobs`)], before)
    })
  })

  describe("reupload", () => {
    let file: string
    beforeAll(async () => {
      file = `${files}/${(await server.makeFile(bucket, "old")).id}`
    })
    const reupload = (body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) =>
      server.post(`${file}/reupload`, { body, headers })
    const content = async () => (await server.get(`${file}/view`)).text()

    it("declared digest differs → 400, content unchanged", async () => {
      assert.strictEqual((await reupload("right", { "repr-digest": digestHeader("right") })).status, 200)
      for (const field of ["repr-digest", "content-digest"]) {
        assert.strictEqual(
          await codeOf(await reupload("wrong", { [field]: digestHeader("right") })),
          "400 checksum_mismatch"
        )
        assert.strictEqual(await codeOf(await reupload("x", { [field]: "sha-256=nonsense" })), "400 invalid_request")
      }
      assert.strictEqual(await content(), "right")
    })

    it("If-Match, If-None-Match do not hold → 412", async () => {
      const etag = (await server.head(`${file}/view`)).headers.get("etag") ?? ""
      assert.strictEqual(await codeOf(await reupload("x", { "if-match": '"other"' })), "412 precondition_failed")
      assert.strictEqual(await codeOf(await reupload("x", { "if-match": `W/${etag}` })), "412 precondition_failed")
      assert.strictEqual(await codeOf(await reupload("x", { "if-none-match": "*" })), "412 precondition_failed")
      assert.strictEqual(await codeOf(await reupload("x", { "if-match": "nonsense" })), "400 invalid_request")
      assert.strictEqual((await reupload("matched", { "if-match": `"a", ${etag}` })).status, 200)
      assert.strictEqual(await content(), "matched")
    })

    it("content above the limit, with or without a declared length → 413, content unchanged", async () => {
      const before = await content()
      assert.strictEqual(await codeOf(await reupload("x".repeat(limit + 1))), "413 content_too_large")
      const chunks = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (let sent = 0; sent <= limit; sent += 10_000) controller.enqueue(new Uint8Array(10_000))
          controller.close()
        }
      })
      const chunked = await reupload(chunks)
      assert.strictEqual(await codeOf(chunked), "413 content_too_large")
      assert.strictEqual(await content(), before)
      assert.strictEqual((await reupload("x".repeat(limit))).status, 200)
    })

    it("declared length above the limit, Expect: 100-continue → 413 before the body is sent", async () => {
      const connection = await RawClient.connect(server.url)
      await connection.write(
        RawClient.head("POST", `/api/v1${file}/reupload`, {
          "X-Api-Key": server.rootKey,
          "Content-Length": 5_000_000_000,
          Expect: "100-continue"
        })
      )
      const response = await connection.response()
      assert.strictEqual(response.status, 413)
    })

    it("client disconnects midway → content unchanged, nothing is left", async () => {
      const before = [await content(), filesBelow(`${server.directory}/blobs`)]
      const connection = await RawClient.connect(server.url)
      await connection.write(
        RawClient.head("POST", `/api/v1${file}/reupload`, { "X-Api-Key": server.rootKey, "Content-Length": 90_000 })
      )
      await connection.write(Buffer.alloc(20_000))
      await expect.poll(pendingCount).toBe(1)
      connection.socket.destroy()
      await expect.poll(pendingCount).toBe(0)
      assert.deepStrictEqual([await content(), filesBelow(`${server.directory}/blobs`)], before)
    })

    it("Content-Type → kept if it names a type, else detected", async () => {
      const sent = async (type: string) => {
        const response = await reupload("<!doctype html>", { "content-type": type })
        return ((await response.json()) as { readonly contentType: string }).contentType
      }
      assert.strictEqual(await sent("text/x-mine"), "text/x-mine")
      for (const silent of ["application/octet-stream", "application/x-www-form-urlencoded"]) {
        assert.strictEqual(await sent(silent), "text/html; charset=utf-8")
      }
    })

    it("no key, Expect: 100-continue → 401 before the body is sent", async () => {
      const connection = await RawClient.connect(server.url)
      await connection.write(
        RawClient.head("POST", `/api/v1${file}/reupload`, { "Content-Length": 50_000, Expect: "100-continue" })
      )
      assert.strictEqual((await connection.response()).status, 401)
    })
  })

  it("200 concurrent uploads → all stored", async () => {
    const own = await server.makeBucket()
    const path = `/tenants/${own.tenantId}/buckets/${own.bucketId}/files`
    const responses = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const body = form(["body", description(`f${index}`)], ["file", new Blob([`content ${index}`])])
        const response = await server.post(`${path}/upload`, { body })
        const { id } = (await response.json()) as { readonly id: string }
        return (await server.get(`${path}/${id}/view`)).text()
      })
    )
    assert.deepStrictEqual(
      responses,
      Array.from({ length: 200 }, (_, index) => `content ${index}`)
    )
  })

  it("20 concurrent uploads of one name → one 201, the others 409", async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => upload(form(["body", description("same")], ["file", new Blob(["x"])])))
    )
    const statuses = responses.map(({ status }) => status).toSorted()
    assert.deepStrictEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)])
  })
})
