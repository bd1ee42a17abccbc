/**
 * tus 1.0.0: core protocol, creation and termination, request by request.
 */
import * as Actor from "@holdfast/core/Actor"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { beforeAll, expect, it } from "vitest"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as Tus from "./Tus.ts"

const bytes = new Uint8Array(randomBytes(100_000))

EachDatabase.describeEach("tus", (current) => {
  let bucket: Tus.Bucket
  let tus: Tus.Tus
  beforeAll(async () => {
    bucket = await current().makeBucket()
    tus = Tus.make(current(), bucket)
  })

  it("create, two PATCHes, HEAD between → file with the metadata, whose id the last answer has", async () => {
    const metadata = { filename: "Übung 1.txt", filetype: "text/plain", path: "/a/b/", alias: "exercise", course: "7" }
    const path = await tus.create(metadata, { "upload-length": String(bytes.length) })
    expect(path).toContain(`/api/v1${tus.uploads}/upl_`)
    expect(await tus.offset(path)).toBe(0)
    const first = await tus.patch(path, 0, bytes.slice(0, 40_000))
    expect([first.status, first.headers.get("upload-offset")]).toEqual([204, "40000"])
    expect(first.headers.get("holdfast-file-id")).toBeNull()
    const head = await tus.head(path)
    expect(head.status).toBe(200)
    expect(head.headers.get("upload-length")).toBe("100000")
    expect(head.headers.get("upload-metadata")).toBe(Tus.pairs(metadata))
    const last = await tus.patch(path, 40_000, bytes.slice(40_000))
    expect([last.status, last.headers.get("upload-offset")]).toEqual([204, "100000"])
    const read = await tus.read(last)
    expect(Tus.sha256(read.bytes)).toBe(Tus.sha256(bytes))
    expect(read.file).toMatchObject({
      name: "Übung 1.txt",
      path: "/a/b/",
      alias: "exercise",
      contentType: "text/plain",
      metadata: { course: "7" }
    })
    const after = await tus.head(path)
    expect(after.headers.get("upload-offset")).toBe("100000")
    expect(after.headers.get("holdfast-file-id")).toBe(read.file.id)
  })

  it("record of an upload: GET and list → its state; link to the file after the completion", async () => {
    const path = await tus.create({ filename: "record.bin" }, { "upload-length": "2" })
    await tus.patch(path, 0, bytes.slice(0, 1))
    const record = await json<{ id: string }>(await tus.send("GET", path, { headers: { "tus-resumable": "1.0.0" } }))
    expect(record).toMatchObject({ name: "record.bin", path: "/", length: 2, received: 1, state: "OPEN", fileId: null })
    const listed = await json<{ items: ReadonlyArray<object> }>(await current().get(tus.uploads))
    expect(listed.items).toContainEqual(record)
    const last = await tus.patch(path, 1, bytes.slice(0, 1))
    const done = await json(await current().get(`${tus.uploads}/${record.id}`))
    expect(done).toMatchObject({ received: 2, state: "DONE", fileId: last.headers.get("holdfast-file-id") })
    const left = await json<{ items: ReadonlyArray<{ id: string }> }>(await current().get(tus.uploads))
    expect(left.items.map(({ id }) => id)).not.toContain(record.id)
  })

  it("list of uploads with large metadata → pages of about 1 MiB, which together have every upload once", async () => {
    const own = await current().makeBucket()
    const metadata = { text: "x".repeat(16_000) }
    const pages = await current().run(
      Effect.gen(function* () {
        const uploads = yield* ResumableUploads
        const create = uploads.create(Actor.system, own, { name: "a", metadata }, {})
        yield* Effect.forEach(Array.from({ length: 90 }), () => create, { discard: true })
        const first = yield* uploads.list(Actor.system, own, { limit: 1000 })
        const second = yield* uploads.list(Actor.system, own, { limit: 1000, cursor: first.nextCursor ?? "" })
        return [first, second]
      })
    )
    expect(pages.map(({ nextCursor }) => nextCursor)).toEqual([expect.any(String), null])
    expect(new Set(pages.flatMap(({ items }) => items.map(({ id }) => id))).size).toBe(90)
    expect(JSON.stringify(pages[0]).length).toBeLessThan(1.2 * 1024 * 1024)
  })

  it("empty content: Upload-Length 0 → completed by the creation", async () => {
    const answer = await tus.post({ filename: "empty" }, { "upload-length": "0" })
    expect(answer.status).toBe(201)
    expect((await tus.read(answer)).bytes).toEqual(new Uint8Array())
  })

  it("creation with upload: beginning and whole content → offset, file", async () => {
    const headers = { "content-type": Tus.offsetType, "upload-length": "10" }
    const part = await tus.post({ filename: "part" }, headers, { body: bytes.slice(0, 4) })
    expect([part.status, part.headers.get("upload-offset")]).toEqual([201, "4"])
    const last = await tus.patch(part.headers.get("location") ?? "", 4, bytes.slice(4, 10))
    expect((await tus.read(last)).bytes).toEqual(bytes.slice(0, 10))
    const whole = await tus.post({ filename: "whole" }, headers, { body: bytes.slice(0, 10) })
    expect(whole.status).toBe(201)
    expect((await tus.read(whole)).bytes).toEqual(bytes.slice(0, 10))
    const other = await tus.post(
      { filename: "type" },
      { ...headers, "content-type": "text/plain" },
      { body: bytes.slice(0, 4) }
    )
    await expectProblem(other, 415, "unsupported_media_type")
    const larger = await tus.post({ filename: "larger" }, headers, { body: bytes.slice(0, 11) })
    await expectProblem(larger, 413, "content_too_large")
    const { items } = await json<{ items: ReadonlyArray<object> }>(await current().get(tus.uploads))
    expect(items).toEqual([])
  })

  it("PATCH: other offset, type, version, no offset, too many bytes → 409, 415, 412, 400, 413; nothing kept", async () => {
    const path = await tus.create({ filename: "rules" }, { "upload-length": "10" })
    const some = bytes.slice(0, 5)
    await expectProblem(await tus.patch(path, 1, some), 409, "offset_mismatch")
    const type = await tus.patch(path, 0, some, { headers: { "content-type": "application/octet-stream" } })
    await expectProblem(type, 415, "unsupported_media_type")
    const version = await tus.patch(path, 0, some, { headers: { "tus-resumable": "0.2.2" } })
    expect(version.headers.get("tus-version")).toBe("1.0.0")
    await expectProblem(version, 412, "tus_version_unsupported")
    const missing = await tus.send("PATCH", path, { body: some, headers: { "content-type": Tus.offsetType } })
    await expectProblem(missing, 400, "invalid_request")
    await expectProblem(await tus.patch(path, 0, bytes.slice(0, 11)), 413, "content_too_large")
    expect(await tus.offset(path)).toBe(0)
    expect((await tus.patch(path, 0, some)).status).toBe(204)
    await expectProblem(await tus.patch(path, 0, some), 409, "offset_mismatch")
  })

  it("creation: no length, two, malformed; malformed metadata; no name → 400", async () => {
    const length = { "upload-length": "1" }
    const cases: ReadonlyArray<readonly [Tus.Headers, Tus.Headers]> = [
      [{ filename: "a" }, {}],
      [{ filename: "a" }, { ...length, "upload-defer-length": "1" }],
      [{ filename: "a" }, { "upload-defer-length": "2" }],
      [{ filename: "a" }, { "upload-length": "-1" }],
      [{ filename: "a" }, { "upload-length": "1.5" }],
      [{}, { ...length, "upload-metadata": "filename !" }],
      [{}, { ...length, "upload-metadata": "filename /w==" }],
      [{}, { ...length, "upload-metadata": "a YQ==,a YQ==" }],
      [{}, length]
    ]
    for (const [metadata, headers] of cases) {
      await expectProblem(await tus.post(metadata, headers), 400, "invalid_request")
    }
    const none = await current().post(tus.uploads, { headers: length })
    await expectProblem(none, 400, "invalid_request")
    const large = await tus.post({ filename: "a" }, { "upload-length": String(6 * 1024 ** 4) })
    await expectProblem(large, 413, "content_too_large")
  })

  it("DELETE: open upload → 204, then 404 for HEAD, PATCH and DELETE; usage as before", async () => {
    const usage = async () => (await current().get(`/tenants/${bucket.tenantId}/usage`)).text()
    const before = await usage()
    const path = await tus.create({ filename: "gone" }, { "upload-length": "10" })
    await tus.patch(path, 0, bytes.slice(0, 5))
    expect((await tus.send("DELETE", path)).status).toBe(204)
    expect((await tus.head(path)).status).toBe(404)
    await expectProblem(await tus.patch(path, 5, bytes.slice(0, 5)), 404, "not_found")
    await expectProblem(await tus.send("DELETE", path), 404, "not_found")
    expect(await usage()).toBe(before)
  })

  it("X-HTTP-Method-Override: PATCH, HEAD, DELETE by POST → as these methods; others → 400", async () => {
    const path = await tus.create({ filename: "override" }, { "upload-length": "10" })
    const by = (method: string, headers: Tus.Headers = {}, body?: Uint8Array<ArrayBuffer>) =>
      tus.send("POST", path, {
        headers: { ...headers, "x-http-method-override": method },
        ...(body === undefined ? undefined : { body })
      })
    const patch = await by("PATCH", { "content-type": Tus.offsetType, "upload-offset": "0" }, bytes.slice(0, 3))
    expect([patch.status, patch.headers.get("upload-offset")]).toEqual([204, "3"])
    const head = await by("HEAD")
    expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "3"])
    await expectProblem(await by("PUT"), 400, "invalid_request")
    expect((await by("DELETE")).status).toBe(204)
    expect((await tus.head(path)).status).toBe(404)
  })

  it("OPTIONS: no key → version, extensions and largest size; other methods → 405 with Allow", async () => {
    const path = await tus.create({ filename: "options" }, { "upload-length": "10" })
    for (const address of [tus.uploads, path]) {
      const answer = await tus.send("OPTIONS", address, { key: null, headers: {} })
      expect(answer.status).toBe(204)
      expect(answer.headers.get("tus-version")).toBe("1.0.0")
      expect(answer.headers.get("tus-extension")).toContain("creation")
      expect(answer.headers.get("tus-max-size")).toBe(String(5 * 1024 ** 4))
    }
    const put = await tus.send("PUT", path)
    expect(put.headers.get("allow")).toBe("DELETE, GET, HEAD, OPTIONS, PATCH, POST")
    await expectProblem(put, 405, "method_not_allowed")
  })

  it("conflict of names: at the creation → 409; that arises later → 409 at the completion, completed when it is gone", async () => {
    const file = await current().makeFile(bucket, "x", { name: "taken" })
    await expectProblem(await tus.post({ filename: "taken" }, { "upload-length": "1" }), 409, "file_exists")
    const path = await tus.create({ filename: "later" }, { "upload-length": "1" })
    const later = await current().makeFile(bucket, "x", { name: "later" })
    await expectProblem(await tus.patch(path, 0, bytes.slice(0, 1)), 409, "file_exists")
    expect((await tus.head(path)).status).toBe(409)
    await current().delete(later.path)
    const head = await tus.head(path)
    expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "1"])
    expect((await tus.read(head)).bytes).toEqual(bytes.slice(0, 1))
    const replacing = await tus.post(
      { filename: "taken" },
      { "upload-length": "0" },
      { query: { onConflict: "replace" } }
    )
    expect([replacing.status, replacing.headers.get("holdfast-file-id")]).toEqual([201, file.id])
  })
})
