/**
 * The draft "Resumable Uploads for HTTP", request by request. What it requires of a server, with MUST, by its sections:
 *
 * - Offset: never decreases, and one that was answered is accepted → "two requests at one offset", "creation cut in the middle".
 * - Completeness: only by `Upload-Complete: ?1` and all of the content → "length reached without", "creation cut in the middle".
 * - Length: recorded, indicators of one and of several requests agree, never exceeded → "PATCH: other offset, length".
 * - Limits: `Upload-Limit` with 413; `Accept-Patch` of OPTIONS → "larger than the bucket accepts", "OPTIONS".
 * - Creation: `Location` and `Upload-Limit` with 104 and with the final answer of an incomplete one → "interop version", `create`.
 * - Offset retrieval: offset, completeness, length, limits → `stateOf`; refuses headers of PATCH (interop version 8) → "HEAD with".
 * - Append: 409 with the offset; nothing after the completion; `Upload-Complete: ?1` with all answers about the file → "PATCH: other
 *   offset", "creation in parts"; an upload to which more bytes than its length were sent is invalid → "more bytes than".
 * - Cancellation and concurrency: no race, no outdated offset → "two requests at one offset", and `test/workers/ResumableUploads`.
 * - 104: not to a client of another interop version → "interop version".
 */
import { createHash, randomBytes } from "node:crypto"
import { connect } from "node:net"
import { beforeAll, expect, it } from "vitest"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as RawHttp from "../support/RawHttp.ts"
import * as Tus from "./Tus.ts"

const bytes = new Uint8Array(randomBytes(100_000))

interface File {
  readonly id: string
  readonly name: string
  readonly contentType: string
}

EachDatabase.describeEach("draft of the IETF", (current) => {
  let bucket: Tus.Bucket
  let uploads: string
  let files: string
  beforeAll(async () => {
    bucket = await current().makeBucket()
    files = Tus.filesOf(bucket)
    uploads = `${files}/uploads`
  })

  const send = (method: string, path: string, headers: Tus.Headers, body?: Uint8Array<ArrayBuffer>) =>
    current().request(method, path.replace(/^.*\/api\/v1(?=\/)/, ""), {
      headers,
      ...(body === undefined ? undefined : { body })
    })
  const patch = (path: string, offset: number, complete: string, body?: Uint8Array<ArrayBuffer>, headers = {}) =>
    send(
      "PATCH",
      path,
      {
        "content-type": "application/partial-upload",
        "upload-offset": String(offset),
        "upload-complete": complete,
        ...headers
      },
      body
    )
  const create = async (name: string, headers: Tus.Headers = {}, body?: Uint8Array<ArrayBuffer>) => {
    const answer = await send("POST", `${uploads}?name=${name}`, { "upload-complete": "?0", ...headers }, body)
    expect([answer.status, answer.headers.get("upload-complete")]).toEqual([201, "?0"])
    expect(answer.headers.get("upload-limit")).toMatch(/^max-size=\d+, max-age=\d+$/)
    return answer.headers.get("location") ?? ""
  }
  const stateOf = async (path: string) => {
    const answer = await send("HEAD", path, {})
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([204, "no-store"])
    return ["upload-offset", "upload-complete", "upload-length"].map((name) => answer.headers.get(name))
  }
  const read = async (id: string) => new Uint8Array(await (await current().get(`${files}/${id}/view`)).arrayBuffer())

  it("creation in parts, HEAD between, last PATCH → record of the file, bytes in order", async () => {
    const path = await create("parts", { "content-type": "text/plain" }, bytes.slice(0, 30_000))
    expect(await stateOf(path)).toEqual(["30000", "?0", null])
    const middle = await patch(path, 30_000, "?0", bytes.slice(30_000, 60_000), { "upload-length": "100000" })
    expect([middle.status, middle.headers.get("upload-complete")]).toEqual([204, "?0"])
    expect(await stateOf(path)).toEqual(["60000", "?0", "100000"])
    const last = await patch(path, 60_000, "?1", bytes.slice(60_000))
    expect([last.status, last.headers.get("upload-complete")]).toEqual([200, "?1"])
    const file = await json<File>(last)
    expect(file).toMatchObject({ name: "parts", contentType: "text/plain" })
    expect(last.headers.get("holdfast-file-id")).toBe(file.id)
    expect(Tus.sha256(await read(file.id))).toBe(Tus.sha256(bytes))
    expect(await stateOf(path)).toEqual(["100000", "?1", "100000"])
    const repeated = await patch(path, 100_000, "?1", new Uint8Array())
    expect([repeated.status, (await json<File>(repeated)).id]).toEqual([200, file.id])
    const more = await patch(path, 100_000, "?0", bytes.slice(0, 1))
    expect([more.status, more.headers.get("upload-complete"), more.headers.get("upload-offset")]).toEqual([
      400,
      "?1",
      "100000"
    ])
    expect(await json<{ readonly type: string }>(more)).toMatchObject({
      type: "https://iana.org/assignments/http-problem-types#completed-upload",
      code: "invalid_request",
      errors: [{ pointer: "", detail: expect.stringContaining("complete") }]
    })
  })

  it("GET → the record, with the headers of HEAD", async () => {
    const path = await create("get", { "upload-length": "9" }, bytes.slice(0, 5))
    const answer = await send("GET", path, {})
    expect(await answer.json()).toMatchObject({ received: 5, length: 9, state: "OPEN" })
    const names = ["upload-offset", "upload-complete", "upload-length", "cache-control"]
    expect(names.map((name) => answer.headers.get(name))).toEqual(["5", "?0", "9", "no-store"])
    expect(answer.headers.get("upload-limit")).toMatch(/^max-size=\d+, max-age=\d+$/)
    expect((await send("DELETE", path, {})).status).toBe(204)
  })

  it("HEAD with a header of PATCH → 400", async () => {
    const path = await create("head", {}, bytes.slice(0, 5))
    for (const headers of [{ "upload-offset": "5" }, { "upload-complete": "?0" }]) {
      expect((await send("HEAD", path, headers)).status).toBe(400)
    }
    expect(await stateOf(path)).toEqual(["5", "?0", null])
    expect((await send("DELETE", path, {})).status).toBe(204)
  })

  it("length reached without Upload-Complete ?1 → still open, also after HEAD; empty PATCH with ?1 → completed", async () => {
    const path = await create("explicit", { "upload-length": "5" }, bytes.slice(0, 5))
    expect(await stateOf(path)).toEqual(["5", "?0", "5"])
    const last = await patch(path, 5, "?1", new Uint8Array())
    expect(await read((await json<File>(last)).id)).toEqual(bytes.slice(0, 5))
  })

  it("…/files/upload with Upload-Complete ?1, POST and PUT, no interop version → as any upload, offset besides", async () => {
    for (const method of ["POST", "PUT"]) {
      const headers = { "upload-complete": "?1", "content-type": "image/x-test" }
      const answer = await send(method, `${files}/upload?name=${method}&path=/d/`, headers, bytes)
      expect([answer.status, answer.headers.get("upload-complete")]).toEqual([201, "?1"])
      const file = await json<File>(answer)
      expect(file).toMatchObject({ name: method, path: "/d/", contentType: "image/x-test", version: 1 })
      expect(answer.headers.get("location")).toBe(`/api/v1${files}/${file.id}`)
      expect(Tus.sha256(await read(file.id))).toBe(Tus.sha256(bytes))
    }
    const taken = await send("POST", `${files}/upload?name=POST&path=/d/`, { "upload-complete": "?1" }, bytes)
    await expectProblem(taken, 409, "file_exists")
    const { items } = await json<{ items: ReadonlyArray<object> }>(await current().get(uploads))
    expect(items).toEqual([])
  })

  it("…/files/upload: form, declared digest, no Upload-Complete → uploads as before", async () => {
    const form = new FormData()
    form.append("file", new Blob(["Hello"]), "form.txt")
    const inForm = await current().post(`${files}/upload`, { body: form, headers: { "upload-complete": "?1" } })
    expect([inForm.status, inForm.headers.get("upload-complete")]).toEqual([201, null])
    const wrong = { "repr-digest": `sha-256=:${Buffer.alloc(32).toString("base64")}:`, "upload-complete": "?1" }
    await expectProblem(await send("PUT", `${files}/upload?name=digest`, wrong, bytes), 400, "checksum_mismatch")
    const plain = await send("PUT", `${files}/upload?name=plain`, { "upload-complete": "yes" }, bytes)
    expect([plain.status, plain.headers.get("upload-complete")]).toEqual([201, null])
  })

  it("PATCH: other offset, length, type, no Upload-Complete, other digest → the draft's problems, nothing kept", async () => {
    const path = await create("rules", { "upload-length": "10" }, bytes.slice(0, 2))
    const offset = await patch(path, 3, "?0", bytes.slice(0, 2))
    expect([offset.status, offset.headers.get("upload-offset"), offset.headers.get("upload-complete")]).toEqual([
      409,
      "2",
      "?0"
    ])
    expect(await offset.json()).toMatchObject({
      type: "https://iana.org/assignments/http-problem-types#mismatching-upload-offset",
      "expected-offset": 2,
      "provided-offset": 3,
      code: "offset_mismatch"
    })
    const lengths = [
      await patch(path, 2, "?1", bytes.slice(0, 4)),
      await patch(path, 2, "?0", bytes.slice(0, 4), { "upload-length": "11" }),
      await patch(path, 2, "?1", bytes.slice(0, 8), { "upload-length": "11" })
    ]
    for (const answer of lengths) {
      expect(answer.status).toBe(400)
      expect(answer.headers.get("upload-limit")).toMatch(/^max-size=\d+$/)
      expect(await answer.json()).toMatchObject({
        type: "https://iana.org/assignments/http-problem-types#inconsistent-upload-length"
      })
    }
    const type = await patch(path, 2, "?0", bytes.slice(0, 2), { "content-type": "text/plain" })
    await expectProblem(type, 415, "unsupported_media_type")
    await expectProblem(await patch(path, 2, "", bytes.slice(0, 2)), 400, "invalid_request")
    const digestOf = (content: Uint8Array) => ({
      "content-digest": `sha-256=:${createHash("sha256").update(content).digest("base64")}:`
    })
    const wrong = await patch(path, 2, "?0", bytes.slice(2, 4), digestOf(bytes))
    await expectProblem(wrong, 400, "checksum_mismatch")
    expect(await stateOf(path)).toEqual(["2", "?0", "10"])
    expect((await patch(path, 2, "?0", bytes.slice(2, 4), digestOf(bytes.slice(2, 4)))).status).toBe(204)
    expect((await send("DELETE", path, {})).status).toBe(204)
    expect((await send("HEAD", path, {})).status).toBe(404)
  })

  it("PATCH: more bytes than the declared length, with and without Content-Length → 400; upload and bytes are gone", async () => {
    const content = bytes.slice(2, 11)
    const chunked = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(content)
          controller.close()
        }
      })
    const bodies = [
      { complete: "?0", body: () => content },
      { complete: "?0", body: chunked },
      { complete: "?1", body: () => content },
      { complete: "?1", body: chunked }
    ]
    for (const [index, { body, complete }] of bodies.entries()) {
      const path = await create(`exceeded-${index}`, { "upload-length": "10" }, bytes.slice(0, 2))
      const answer = await current().request("PATCH", path.replace(/^.*\/api\/v1(?=\/)/, ""), {
        headers: {
          "content-type": "application/partial-upload",
          "upload-offset": "2",
          "upload-complete": complete
        },
        body: body()
      })
      expect([answer.status, answer.headers.get("upload-complete")]).toEqual([400, "?0"])
      expect(await answer.json()).toMatchObject({
        type: "https://iana.org/assignments/http-problem-types#inconsistent-upload-length",
        code: "invalid_request"
      })
      for (const later of [
        await send("HEAD", path, {}),
        await patch(path, 2, "?0", bytes.slice(2, 4)),
        await patch(path, 10, "?1", new Uint8Array())
      ]) {
        expect(later.status).toBe(404)
      }
      expect((await send("DELETE", path, {})).status).toBe(404)
    }
    const { items } = await json<{ items: ReadonlyArray<object> }>(await current().get(uploads))
    expect(items).toEqual([])
  })

  it("creation: more bytes than the declared length, announced by 104 → 400, no upload", async () => {
    const { rootKey, url } = current()
    const answer = await RawHttp.sendRaw(
      url,
      [
        `POST /api/v1${uploads}?name=exceeded HTTP/1.1`,
        "Host: localhost",
        `X-Api-Key: ${rootKey}`,
        "Connection: close",
        "Upload-Complete: ?0",
        "Upload-Length: 4",
        "Content-Length: 5",
        "Upload-Draft-Interop-Version: 8",
        "",
        "Hello"
      ].join("\r\n")
    )
    expect(answer).toMatch(/^HTTP\/1\.1 104 [^]*\r\n\r\nHTTP\/1\.1 400 /)
    const path = /location: (\S+)/i.exec(answer)?.[1] ?? ""
    expect(path).toMatch(/upl_/)
    expect((await send("HEAD", path, {})).status).toBe(404)
  })

  it("interop version 8 and 6 → 104 with Location, limit and offset; others and none → no 104", async () => {
    const { rootKey, url } = current()
    const raw = async (version: string | undefined, name: string) =>
      RawHttp.sendRaw(
        url,
        [
          `POST /api/v1${files}/upload?name=${name} HTTP/1.1`,
          "Host: localhost",
          `X-Api-Key: ${rootKey}`,
          "Connection: close",
          "Upload-Complete: ?1",
          "Content-Length: 5",
          ...(version === undefined ? [] : [`Upload-Draft-Interop-Version: ${version}`]),
          "",
          "Hello"
        ].join("\r\n")
      )
    for (const version of ["8", "6"]) {
      const answer = await raw(version, `interop-${version}`)
      expect(answer).toMatch(/^HTTP\/1\.1 104 /)
      const [announced = "", progress = "", final = ""] = answer.split(/\r\n\r\n/)
      expect(announced).toMatch(new RegExp(`location: /api/v1${uploads}/upl_`, "i"))
      expect(announced).toMatch(/upload-limit: max-size=\d+, max-age=\d+/i)
      expect(announced).toMatch(new RegExp(`upload-draft-interop-version: ${version}`, "i"))
      expect(progress).toMatch(/^HTTP\/1\.1 104 [^]*upload-offset: 5/i)
      expect(final).toMatch(/^HTTP\/1\.1 201 /)
    }
    for (const version of ["7", "3", undefined]) {
      expect(await raw(version, `other-${version}`)).toMatch(/^HTTP\/1\.1 201 /)
    }
  })

  it("creation cut in the middle → HEAD at the address of the 104 has what arrived, PATCH completes the file", async () => {
    const { rootKey, url } = current()
    // More than the buffers of a connection take: once all of it is sent, the service reads the body.
    const large = new Uint8Array(randomBytes(16 * 1024 * 1024))
    const cutAt = large.length - 10
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const location = new Promise<string>((resolve) => {
      let head = ""
      socket.on("data", (text) => {
        head += text.toString("latin1")
        const found = /location: (\S+)/i.exec(head)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    const lines = [
      `POST /api/v1${files}/upload?name=cut HTTP/1.1`,
      "Host: localhost",
      `X-Api-Key: ${rootKey}`,
      "Upload-Complete: ?1",
      "Upload-Draft-Interop-Version: 8",
      `Content-Length: ${large.length}`
    ]
    socket.write(`${lines.join("\r\n")}\r\n\r\n`)
    await new Promise((resolve) => void socket.write(large.subarray(0, cutAt), resolve))
    const path = await location
    socket.end()
    // Unlike HEAD, GET does not end the request that still stores its bytes.
    const record = async () => json<{ received: number }>(await send("GET", path, {}))
    await expect.poll(async () => (await record()).received, { timeout: 10_000 }).toBeGreaterThan(cutAt / 2)
    const [offset = "", complete, length] = await stateOf(path)
    expect([complete, length]).toEqual(["?0", String(large.length)])
    const at = Number(offset)
    expect(at).toBeLessThanOrEqual(cutAt)
    const last = await patch(path, at, "?1", large.slice(at))
    expect(last.status).toBe(200)
    expect(Tus.sha256(await read((await json<File>(last)).id))).toBe(Tus.sha256(large))
  })

  it("larger than the bucket accepts: declared at the creation, appended → 413 with Upload-Limit", async () => {
    const small = await current().makeBucket(bucket.tenantId)
    const path = `/tenants/${small.tenantId}/buckets/${small.bucketId}`
    expect((await current().patch(path, { json: { maxFileBytes: 10 } })).status).toBe(200)
    const post = (headers: Tus.Headers, body: Uint8Array<ArrayBuffer>) =>
      send("POST", `${path}/files/uploads?name=large`, { "upload-complete": "?0", ...headers }, body)
    const created = await post({}, bytes.slice(0, 5))
    const answers = [
      await post({ "upload-length": "11" }, bytes.slice(0, 5)),
      await patch(created.headers.get("location") ?? "", 5, "?0", bytes.slice(0, 6))
    ]
    for (const answer of answers) {
      expect(answer.headers.get("upload-limit")).toBe("max-size=10")
      await expectProblem(answer, 413, "content_too_large")
    }
  })

  it("two requests at one offset → one is appended; DELETE → gone for HEAD and PATCH", async () => {
    const path = await create("later", {}, bytes.slice(0, 5))
    const appended = await Promise.all([1, 2].map(() => patch(path, 5, "?0", bytes.slice(5, 10))))
    expect(appended.map(({ status }) => status).toSorted()).toEqual([204, 409])
    expect(await stateOf(path)).toEqual(["10", "?0", null])
    expect((await send("DELETE", path, {})).status).toBe(204)
    for (const answer of [await send("HEAD", path, {}), await patch(path, 10, "?1", bytes.slice(10))]) {
      expect(answer.status).toBe(404)
    }
  })

  it("OPTIONS, also of …/files/upload → Upload-Limit, Accept-Patch", async () => {
    for (const path of [uploads, `${files}/upload`]) {
      const answer = await current().request("OPTIONS", path, { key: null })
      expect([answer.status, answer.headers.get("upload-limit")]).toEqual([204, `max-size=${5 * 1024 ** 4}`])
      expect(answer.headers.get("accept-patch")?.split(", ")).toContain("application/partial-upload")
    }
  })
})
