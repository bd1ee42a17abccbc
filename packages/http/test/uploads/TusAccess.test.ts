/**
 * Who may create and continue a resumable upload: API keys with scopes, upload links and shares; what limits permit.
 */
import * as Actor from "@holdfast/core/Actor"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import { Quotas } from "@holdfast/core/usage/Quotas"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { beforeAll, expect, it } from "vitest"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as ClockAhead from "./ClockAhead.ts"
import * as Tus from "./Tus.ts"

const bytes = new Uint8Array(100).fill(7)
const ofLength = (length: number): Tus.Headers => ({ "upload-length": String(length) })

EachDatabase.describeEach("access to resumable uploads", (current) => {
  let bucket: Tus.Bucket
  let base: string
  let tus: Tus.Tus
  beforeAll(async () => {
    bucket = await current().makeBucket()
    base = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}`
    tus = Tus.make(current(), bucket)
  })

  /** Creates an upload link, and returns its key as the options of a request. */
  const makeLink = async (terms: object = {}) => {
    const answer = await current().post(`${base}/upload-links`, { json: { maxBytes: 50, expiresIn: 60, ...terms } })
    const { url } = await json<{ url: string }>(answer)
    return { key: null, query: { apiKey: new URL(url, "http://localhost").searchParams.get("apiKey") ?? "" } }
  }

  it("upload link: creates, continues and ends its upload; terms decide name, folder and size", async () => {
    const link = await makeLink({ path: "/in/", name: "fixed.bin" })
    const path = await tus.create({ filename: "mine.bin" }, ofLength(10), link)
    expect((await tus.patch(path, 0, bytes.slice(0, 4), link)).status).toBe(204)
    const head = await tus.head(path, link)
    expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "4"])
    const last = await tus.patch(path, 4, bytes.slice(4, 10), link)
    expect((await tus.read(last)).file).toMatchObject({ name: "fixed.bin", path: "/in/" })
    await expectProblem(await tus.post({ filename: "a" }, ofLength(51), await makeLink()), 413, "content_too_large")
    await expectProblem(await tus.post({ path: "/out/" }, ofLength(1), link), 400, "invalid_request")
    await expectProblem(await tus.post({ course: "7" }, ofLength(1), link), 400, "invalid_request")
    const ended = await tus.create({ filename: "b" }, ofLength(10), await makeLink({ path: "/in/" }))
    expect((await tus.send("DELETE", ended, await makeLink({ path: "/in/" }))).status).toBe(204)
  })

  it("upload link: upload of an API key or of other terms → 404; list of uploads → 401; new link on the same terms → continues", async () => {
    const link = await makeLink({ path: "/in/" })
    const byKey = await tus.create({ filename: "by key" }, ofLength(10))
    const byOther = await tus.create({ filename: "by other" }, ofLength(10), await makeLink({ path: "/other/" }))
    for (const path of [byKey, byOther]) {
      expect((await tus.head(path, link)).status).toBe(404)
      await expectProblem(await tus.send("GET", path, link), 404, "not_found")
      await expectProblem(await tus.patch(path, 0, bytes.slice(0, 1), link), 404, "not_found")
      await expectProblem(await tus.send("DELETE", path, link), 404, "not_found")
    }
    await expectProblem(await tus.send("GET", tus.uploads, link), 401, "unauthenticated")
    const path = await tus.create({ filename: "own" }, ofLength(2), link)
    const again = await makeLink({ path: "/in/" })
    expect((await tus.patch(path, 0, bytes.slice(0, 2), again)).headers.get("holdfast-file-id")).toMatch(/^fil_/)
  })

  it("upload link in a header, as clients of tus send it → creates and continues; no other operation takes it", async () => {
    const { query } = await makeLink()
    const key = query.apiKey
    const path = await tus.create({ filename: "in a header" }, ofLength(2), { key })
    expect((await tus.patch(path, 0, bytes.slice(0, 2), { key })).status).toBe(204)
    await expectProblem(await current().get(`${base}/files`, { key }), 401, "unauthenticated")
    await expectProblem(await current().get(base, { key }), 401, "unauthenticated")
  })

  it("upload link that is no longer valid → 401 for every request, bytes stay for another key", async () => {
    const link = await makeLink()
    const path = await tus.create({ filename: "expired" }, ofLength(2), link)
    const forged = { ...link, query: { apiKey: `${link.query.apiKey.slice(0, -2)}AA` } }
    await expectProblem(await tus.patch(path, 0, bytes.slice(0, 1), forged), 401, "unauthenticated")
    expect((await tus.patch(path, 0, bytes.slice(0, 2))).status).toBe(204)
  })

  it("share for uploads: counts an upload from its creation on; used up → 410 that names the limit, for every upload", async () => {
    const answer = await current().post(`${base}/shares`, {
      json: { name: "inbox", path: "/inbox/", may: ["upload"], maxFiles: 2, maxBytes: 10 }
    })
    const share = await json<{ id: string; token: string }>(answer)
    const holder = { key: null, query: { apiKey: share.token } }
    const refused = async (answer: Promise<Response>, limit: string) => {
      const problem = await expectProblem(await answer, 410, "share_exhausted")
      expect(problem).toMatchObject({ limit, detail: expect.stringContaining(limit) })
    }
    const put = (size: number) =>
      current().request("PUT", `${base}/files/upload`, {
        ...holder,
        query: { ...holder.query, name: "put" },
        body: bytes.slice(0, size)
      })
    const path = await tus.create({ filename: "a" }, ofLength(6), holder)
    await refused(tus.post({ filename: "b" }, ofLength(5), holder), "maxBytes")
    await refused(put(5), "maxBytes")
    const other = await tus.create({ filename: "c" }, { "upload-defer-length": "1" }, holder)
    await refused(tus.patch(other, 0, bytes.slice(0, 5), holder), "maxBytes")
    await refused(tus.patch(other, 0, bytes.slice(0, 2), { ...holder, headers: ofLength(5) }), "maxBytes")
    await refused(tus.post({ filename: "d" }, ofLength(1), holder), "maxFiles")
    await refused(put(1), "maxFiles")
    const done = await tus.patch(path, 0, bytes.slice(0, 6), holder)
    expect(done.status).toBe(204)
    expect((await tus.head(path, holder)).status).toBe(200)
    expect((await tus.send("DELETE", other, holder)).status).toBe(204)
    expect((await put(4)).status).toBe(201)
    await refused(tus.post({ filename: "e" }, ofLength(0), holder), "maxFiles")
    expect(await json(await current().get(`${base}/shares/${share.id}`))).toMatchObject({
      uploadedFiles: 2,
      uploadedBytes: 10
    })
  })

  it("share for one file: creation whose answer is lost → another one has its room after two minutes", async () => {
    const answer = await current().post(`${base}/shares`, {
      json: { name: "lost", path: "/lost/", may: ["upload"], maxFiles: 1 }
    })
    const { token } = await json<{ token: string }>(answer)
    const holder = { key: null, query: { apiKey: token } }
    const lost = await tus.create({ filename: "a" }, ofLength(5), holder)
    await expectProblem(await tus.post({ filename: "a" }, ofLength(5), holder), 410, "share_exhausted")
    const removal = Effect.gen(function* () {
      const uploads = yield* UploadRepository
      yield* uploads.deleteExpired({ now: yield* DateTime.now, limit: 500 })
    })
    await current().run(ClockAhead.by(Duration.minutes(1))(removal))
    expect((await tus.head(lost, holder)).status).toBe(200)
    await current().run(ClockAhead.by(Duration.minutes(3))(removal))
    const path = await tus.create({ filename: "a" }, ofLength(5), holder)
    expect((await tus.patch(path, 0, bytes.slice(0, 5), holder)).status).toBe(204)
  })

  it("share for one file: 8 creations at once → one created; its maxBytes raised meanwhile → upload continues", async () => {
    const answer = await current().post(`${base}/shares`, {
      json: { name: "one file", path: "/one/", may: ["upload"], maxFiles: 1, maxBytes: 5 }
    })
    const share = await json<{ id: string; token: string }>(answer)
    const holder = { key: null, query: { apiKey: share.token } }
    const answers = await Promise.all(
      Array.from("abcdefgh", (name) => tus.post({ filename: name }, ofLength(5), holder))
    )
    const created = answers.filter(({ status }) => status === 201)
    expect([created.length, answers.filter(({ status }) => status === 410).length]).toEqual([1, 7])
    const path = created[0]?.headers.get("location") ?? ""
    expect((await tus.patch(path, 0, bytes.slice(0, 2), holder)).status).toBe(204)
    const raised = await current().patch(`${base}/shares/${share.id}`, { json: { maxBytes: 50 } })
    expect(raised.status).toBe(200)
    const last = await tus.patch(path, 2, bytes.slice(2, 5), holder)
    expect(last.headers.get("holdfast-file-id")).toMatch(/^fil_/)
  })

  it("quota: too many bytes declared, appended or reserved → 403; too many files → 403, room again → completed", async () => {
    const limited = await current().makeBucket()
    const quota = { bytes: 10, files: 1 }
    await current().run(Quotas.use((quotas) => quotas.set(Actor.system, limited.tenantId, quota)))
    const inLimited = Tus.make(current(), limited)
    const expectRefused = async (answer: Promise<Response>) => expectProblem(await answer, 403, "quota_exceeded")
    await expectRefused(inLimited.post({ filename: "a" }, ofLength(11)))
    const deferred = await inLimited.create({ filename: "b" }, { "upload-defer-length": "1" })
    await expectRefused(inLimited.patch(deferred, 0, bytes.slice(0, 11)))
    await expectRefused(inLimited.patch(deferred, 0, bytes.slice(0, 1), { headers: ofLength(11) }))
    expect(await inLimited.offset(deferred)).toBe(0)
    const [first, second] = [
      await inLimited.create({ filename: "c" }, ofLength(5)),
      await inLimited.create({ filename: "d" }, ofLength(5))
    ]
    await expectRefused(inLimited.post({ filename: "e" }, ofLength(1)))
    const done = await inLimited.patch(first, 0, bytes.slice(0, 5))
    expect(done.status).toBe(204)
    await expectRefused(inLimited.patch(second, 0, bytes.slice(0, 5)))
    const usage = async () => json(await current().get(`/tenants/${limited.tenantId}/usage`))
    expect(await usage()).toMatchObject({ usage: { files: 1, contentBytes: 5, reservedBytes: 5 } })
    await current().delete(`${Tus.filesOf(limited)}/${done.headers.get("holdfast-file-id")}`)
    expect((await inLimited.head(second)).headers.get("holdfast-file-id")).toMatch(/^fil_/)
    expect(await usage()).toMatchObject({ usage: { files: 1, contentBytes: 5, reservedBytes: 0 } })
  })

  it("quota, upload link: creations reserve nothing, and end within an hour; bytes are reserved, more than there is room → 403", async () => {
    const limited = await current().makeBucket()
    await current().run(Quotas.use((quotas) => quotas.set(Actor.system, limited.tenantId, { bytes: 10 })))
    const inLimited = Tus.make(current(), limited)
    const path = `/tenants/${limited.tenantId}`
    const answer = await current().post(`${path}/buckets/${limited.bucketId}/upload-links`, {
      json: { maxBytes: 50, expiresIn: 60 }
    })
    const { url } = await json<{ url: string }>(answer)
    const link = { key: null, query: { apiKey: new URL(url, "http://localhost").searchParams.get("apiKey") ?? "" } }
    const reserved = async () =>
      (await json<{ usage: { reservedBytes: number } }>(await current().get(`${path}/usage`))).usage.reservedBytes
    const expectRefused = async (answer: Promise<Response>) => expectProblem(await answer, 403, "quota_exceeded")

    await expectRefused(inLimited.post({ filename: "large" }, ofLength(11), link))
    const [first = "", second = ""] = await Promise.all(
      ["a", "b", "c"].map((filename) => inLimited.create({ filename }, ofLength(10), link))
    )
    expect(await reserved()).toBe(0)
    const expires = async () => Date.parse((await inLimited.head(first, link)).headers.get("upload-expires") ?? "")
    expect(await expires()).toBeLessThan(Date.now() + 2 * 3_600_000)
    expect((await inLimited.patch(first, 0, bytes.slice(0, 6), link)).status).toBe(204)
    expect(await reserved()).toBe(6)
    expect(await expires()).toBeGreaterThan(Date.now() + 2 * 3_600_000)
    await expectRefused(inLimited.patch(second, 0, bytes.slice(0, 10), link))
    const deferred = await inLimited.create({ filename: "d" }, { "upload-defer-length": "1" }, link)
    await expectRefused(inLimited.patch(deferred, 0, bytes.slice(0, 1), { ...link, headers: ofLength(5) }))
    expect((await inLimited.patch(deferred, 0, bytes.slice(0, 1), { ...link, headers: ofLength(4) })).status).toBe(204)
    expect(await reserved()).toBe(7)
    await expectRefused(inLimited.post({ filename: "e" }, ofLength(4)))
    expect((await inLimited.send("DELETE", deferred, link)).status).toBe(204)
    const done = await inLimited.patch(first, 6, bytes.slice(6, 10), link)
    expect(done.headers.get("holdfast-file-id")).toMatch(/^fil_/)
    expect(await json(await current().get(`${path}/usage`))).toMatchObject({
      usage: { contentBytes: 10, reservedBytes: 0 }
    })
  })

  it("bucket removed, token revoked meanwhile → 404, 401; file renamed from the place → new file, to the place → 409", async () => {
    const gone = await current().makeBucket(bucket.tenantId)
    const inGone = Tus.make(current(), gone)
    const orphan = await inGone.create({ filename: "a" }, ofLength(1))
    const removed = await current().delete(`/tenants/${gone.tenantId}/buckets/${gone.bucketId}`)
    expect(removed.status).toBe(204)
    await expectProblem(await inGone.patch(orphan, 0, bytes.slice(0, 1)), 404, "not_found")

    const tokens = `/tenants/${bucket.tenantId}/tokens`
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
      await current().get(`/tenants/${bucket.tenantId}/members`)
    )
    const made = await current().post(tokens, { json: { name: "t", member: { id: items[0]?.id } } })
    const { id, key } = await json<{ id: string; key: string }>(made)
    const path = await tus.create({ filename: "revoked" }, ofLength(1), { key })
    expect((await current().delete(`${tokens}/${id}`)).status).toBe(204)
    await expect.poll(async () => (await tus.head(path, { key })).status, { timeout: 10_000 }).toBe(401)
    await expectProblem(await tus.patch(path, 0, bytes.slice(0, 1), { key }), 401, "unauthenticated")

    const rename = (fileId: string, name: string) => current().patch(`${base}/files/${fileId}`, { json: { name } })
    const former = await current().makeFile(bucket, "former", { name: "place" })
    const replacing = await tus.create({ filename: "place" }, ofLength(1), { query: { onConflict: "replace" } })
    expect((await rename(former.id, "elsewhere")).status).toBe(200)
    const { file } = await tus.read(await tus.patch(replacing, 0, bytes.slice(0, 1)))
    expect(file).toMatchObject({ name: "place", version: 1 })
    const late = await tus.create({ filename: "late" }, ofLength(1))
    expect((await rename(former.id, "late")).status).toBe(200)
    await expectProblem(await tus.patch(late, 0, bytes.slice(0, 1)), 409, "file_exists")
    expect((await rename(former.id, "elsewhere")).status).toBe(200)
    expect((await tus.head(late)).headers.get("holdfast-file-id")).toMatch(/^fil_/)
  })

  it("token limited to a folder: creates there, also partial uploads; elsewhere, and uploads of others → 403", async () => {
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
      await current().get(`/tenants/${bucket.tenantId}/members`)
    )
    const made = await current().post(`/tenants/${bucket.tenantId}/tokens`, {
      json: { name: "t", member: { id: items[0]?.id }, scope: { pathPrefix: "/own/", permissions: ["file:write"] } }
    })
    const { key } = await json<{ key: string }>(made)
    await expectProblem(await tus.post({ filename: "a" }, ofLength(1), { key }), 403, "forbidden")
    const own = await tus.create({ filename: "a", path: "/own/x/" }, ofLength(1), { key })
    const partial = await tus.create({}, { ...ofLength(0), "upload-concat": "partial" }, { key })
    expect((await tus.head(partial, { key })).status).toBe(200)
    expect((await tus.patch(own, 0, bytes.slice(0, 1), { key })).status).toBe(204)
    const other = await tus.create({ filename: "other" }, ofLength(1))
    expect((await tus.head(other, { key })).status).toBe(403)
    await expectProblem(await tus.patch(other, 0, bytes.slice(0, 1), { key }), 403, "forbidden")
  })

  it("rules of the bucket: size at the creation, type at the completion → 413, 415; no file, nothing reserved", async () => {
    const ruled = await current().makeBucket(bucket.tenantId)
    const rules = { maxFileBytes: 20, allowedTypes: ["image/*"] }
    const path = `/tenants/${ruled.tenantId}/buckets/${ruled.bucketId}`
    expect((await current().patch(path, { json: rules })).status).toBe(200)
    const inRuled = Tus.make(current(), ruled)
    await expectProblem(await inRuled.post({ filename: "a.png" }, ofLength(21)), 413, "content_too_large")
    const typed = await inRuled.post({ filename: "a", filetype: "text/plain" }, ofLength(1))
    await expectProblem(typed, 415, "unsupported_media_type")
    const upload = await inRuled.create({ filename: "a.bin" }, { "upload-defer-length": "1" })
    const declared = await inRuled.patch(upload, 0, bytes.slice(0, 5), { headers: ofLength(5) })
    await expectProblem(declared, 415, "unsupported_media_type")
    const files = await json<{ items: ReadonlyArray<object> }>(await current().get(`${path}/files`))
    expect(files.items).toEqual([])
    expect((await inRuled.send("DELETE", upload)).status).toBe(204)
    expect(await json(await current().get(`${path}/usage`))).toMatchObject({ usage: { files: 0, reservedBytes: 0 } })
  })

  it("two clients at one offset at once → exactly one wins, the other gets 409, the file is the winner's", async () => {
    const path = await tus.create({ filename: "race" }, ofLength(100))
    const contents = [1, 2, 3, 4].map((value) => new Uint8Array(100).fill(value))
    const answers = await Promise.all(contents.map((content) => tus.patch(path, 0, content)))
    const winners = answers.flatMap(({ status }, index) => (status === 204 ? [index] : []))
    expect(winners).toHaveLength(1)
    for (const [index, answer] of answers.entries()) {
      if (index !== winners[0]) expect([404, 409]).toContain(answer.status)
    }
    const winner = answers[winners[0] ?? 0]
    if (winner === undefined) throw new Error("no winner")
    expect((await tus.read(winner)).bytes).toEqual(contents[winners[0] ?? 0])
  })
})
