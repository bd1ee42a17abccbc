/**
 * Uploads as clients send them, well and badly: what is acknowledged is there, and nothing is left of the rest.
 */
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import { afterAll, afterEach, assert, beforeAll, describe, expect, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as RawClient from "./RawClient.ts"

const limit = 100_000

const digestOf = (text: string): string => `sha-256=:${createHash("sha256").update(text).digest("base64")}:`

/** Descriptors of this process, in which the server runs, that belong to files of a directory. */
const openFiles = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = Fs.readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(directory) && !target.includes("lock.") ? [target] : []
    } catch {
      // Closed while we looked.
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
    // Whatever happened, every blob belongs to a file, or is doomed by a re-upload or removal of this suite.
    await expect.poll(() => openFiles(server.directory).length).toBe(0)
    await expect.poll(() => filesBelow(`${server.directory}/tmp`)).toBe(0)
  })

  /** Uploads that have begun and are not over. */
  const pending = () =>
    server.run(
      BlobRepository.use(({ list }) =>
        Effect.map(list(undefined, 1000), (rows) => rows.filter(({ state }) => state === "PENDING").length)
      )
    )

  const codeOf = async (response: Response): Promise<string> => {
    const { code } = (await response.json()) as { readonly code: string }
    return `${response.status} ${code}`
  }

  const form = (...parts: ReadonlyArray<readonly [string, string | Blob, string?]>): FormData => {
    const data = new FormData()
    for (const [name, value, filename] of parts) {
      if (typeof value === "string") data.append(name, value)
      else data.append(name, value, filename)
    }
    return data
  }

  const description = (name: string, more: object = {}) => JSON.stringify({ name, ...more })
  const upload = (body: FormData, headers: Record<string, string> = {}) =>
    server.post(`${files}/upload`, { body, headers })

  describe("of forms", () => {
    it("take the parts in either order", async () => {
      const first = await upload(form(["body", description("a")], ["file", new Blob(["one"])]))
      const last = await upload(form(["file", new Blob(["two"])], ["body", description("b", { path: "/x" })]))
      assert.deepStrictEqual([first.status, last.status], [201, 201])
      const { id, path } = (await last.json()) as { readonly id: string; readonly path: string }
      assert.strictEqual(path, "/x/")
      assert.strictEqual(await (await server.get(`${files}/${id}/view`)).text(), "two")
    })

    it("take the part's file name where the body has none", async () => {
      const response = await upload(form(["file", new Blob(["x"]), "Grüße 😀.txt"]))
      assert.strictEqual(response.status, 201)
      assert.deepInclude(await response.json(), { name: "Grüße 😀.txt", path: "/" })
    })

    it("take an empty file", async () => {
      const response = await upload(form(["body", description("empty")], ["file", new Blob([])]))
      const { id } = (await response.json()) as { readonly id: string }
      const view = await server.get(`${files}/${id}/view`)
      assert.deepStrictEqual([view.status, view.headers.get("content-length"), await view.text()], [200, "0", ""])
    })

    const refused: ReadonlyArray<readonly [string, () => FormData]> = [
      ["without a file", () => form(["body", description("n1")])],
      ["with two files", () => form(["file", new Blob(["1"])], ["body", description("n2")], ["file", new Blob(["2"])])],
      [
        "with two bodies",
        () => form(["body", description("n3")], ["body", description("n3")], ["file", new Blob(["1"])])
      ],
      ["with a body that is no JSON", () => form(["body", "{"], ["file", new Blob(["1"])])],
      ["with a body that is no JSON, behind the file", () => form(["file", new Blob(["1"])], ["body", "{"])],
      ["with a name that is none", () => form(["body", description("../x")], ["file", new Blob(["1"])])],
      ["with a name that is none, behind the file", () => form(["file", new Blob(["1"])], ["body", description("")])]
    ]
    for (const [what, make] of refused) {
      it(`are refused ${what}, and leave nothing`, async () => {
        const before = [await count(), filesBelow(`${server.directory}/blobs`)]
        assert.strictEqual(await codeOf(await upload(make())), "400 invalid_request")
        assert.deepStrictEqual([await count(), filesBelow(`${server.directory}/blobs`)], before)
      })
    }

    it("are refused as another media type", async () => {
      const response = await server.post(`${files}/upload`, { json: { name: "x" } })
      assert.strictEqual(await codeOf(response), "415 unsupported_media_type")
    })

    it("are checked against their digest and their conditions", async () => {
      const make = () => form(["body", description("once")], ["file", new Blob(["x"])])
      assert.strictEqual(await codeOf(await upload(make(), { "if-match": '"x"' })), "412 precondition_failed")
      assert.strictEqual((await upload(make())).status, 201)
      assert.strictEqual(await codeOf(await upload(make())), "409 file_exists")
      assert.strictEqual(await codeOf(await upload(make(), { "if-none-match": "*" })), "412 precondition_failed")
    })

    it("that end in the middle of a part leave nothing", async () => {
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

  describe("of other contents", () => {
    let file: string
    beforeAll(async () => {
      file = `${files}/${(await server.makeFile(bucket, "old")).id}`
    })
    const reupload = (body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) =>
      server.post(`${file}/reupload`, { body, headers })
    const content = async () => (await server.get(`${file}/view`)).text()

    it("check the announced digest", async () => {
      assert.strictEqual((await reupload("right", { "repr-digest": digestOf("right") })).status, 200)
      for (const field of ["repr-digest", "content-digest"]) {
        assert.strictEqual(
          await codeOf(await reupload("wrong", { [field]: digestOf("right") })),
          "400 checksum_mismatch"
        )
        assert.strictEqual(await codeOf(await reupload("x", { [field]: "sha-256=nonsense" })), "400 invalid_request")
      }
      assert.strictEqual(await content(), "right")
    })

    it("hold to If-Match and If-None-Match", async () => {
      const etag = (await server.head(`${file}/view`)).headers.get("etag") ?? ""
      assert.strictEqual(await codeOf(await reupload("x", { "if-match": '"other"' })), "412 precondition_failed")
      assert.strictEqual(await codeOf(await reupload("x", { "if-match": `W/${etag}` })), "412 precondition_failed")
      assert.strictEqual(await codeOf(await reupload("x", { "if-none-match": "*" })), "412 precondition_failed")
      assert.strictEqual(await codeOf(await reupload("x", { "if-match": "nonsense" })), "400 invalid_request")
      assert.strictEqual((await reupload("matched", { "if-match": `"a", ${etag}` })).status, 200)
      assert.strictEqual(await content(), "matched")
    })

    it("are refused above the limit, whether announced or found out", async () => {
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

    it("are told of a length above the limit before the body is sent", async () => {
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

    it("change nothing when the client goes away midway", async () => {
      const before = [await content(), filesBelow(`${server.directory}/blobs`)]
      const connection = await RawClient.connect(server.url)
      await connection.write(
        RawClient.head("POST", `/api/v1${file}/reupload`, { "X-Api-Key": server.rootKey, "Content-Length": 50_000 })
      )
      await connection.write(Buffer.alloc(20_000))
      await expect.poll(pending).toBe(1)
      connection.socket.destroy()
      await expect.poll(pending).toBe(0)
      assert.deepStrictEqual([await content(), filesBelow(`${server.directory}/blobs`)], before)
    })

    it("have the type that they are sent as, or look like where the client does not say", async () => {
      const sent = async (type: string) => {
        const response = await reupload("<!doctype html>", { "content-type": type })
        return ((await response.json()) as { readonly contentType: string }).contentType
      }
      assert.strictEqual(await sent("text/x-mine"), "text/x-mine")
      for (const silent of ["application/octet-stream", "application/x-www-form-urlencoded"]) {
        assert.strictEqual(await sent(silent), "text/html; charset=utf-8")
      }
    })

    it("are refused without authentication before the body is read", async () => {
      const connection = await RawClient.connect(server.url)
      await connection.write(
        RawClient.head("POST", `/api/v1${file}/reupload`, { "Content-Length": 50_000, Expect: "100-continue" })
      )
      assert.strictEqual((await connection.response()).status, 401)
    })
  })

  it("two hundred at once all arrive", async () => {
    const place = await server.makeBucket()
    const path = `/tenants/${place.tenantId}/buckets/${place.bucketId}/files`
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const body = form(["body", description(`f${index}`)], ["file", new Blob([`content ${index}`])])
        const response = await server.post(`${path}/upload`, { body })
        const { id } = (await response.json()) as { readonly id: string }
        return (await server.get(`${path}/${id}/view`)).text()
      })
    )
    assert.deepStrictEqual(
      answers,
      Array.from({ length: 200 }, (_, index) => `content ${index}`)
    )
  })

  it("of the same name at once: exactly one is created", async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => upload(form(["body", description("same")], ["file", new Blob(["x"])])))
    )
    const statuses = responses.map(({ status }) => status).toSorted()
    assert.deepStrictEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)])
  })
})
