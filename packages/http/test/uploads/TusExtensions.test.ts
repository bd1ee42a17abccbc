/**
 * tus 1.0.0: checksum, expiration, deferred length and concatenation.
 */
import { createHash, randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"
import { beforeAll, expect, it } from "vitest"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as Tus from "./Tus.ts"

const bytes = new Uint8Array(randomBytes(90_000))

/** Returns the value of `Upload-Checksum` for these bytes. */
const checksum = (algorithm: string, content: Uint8Array): string => {
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(content))
  const digest = algorithm === "crc32" ? crc : createHash(algorithm).update(content).digest()
  return `${algorithm} ${digest.toString("base64")}`
}

EachDatabase.describeEach("tus extensions", (current) => {
  let bucket: Tus.Bucket
  let tus: Tus.Tus
  beforeAll(async () => {
    bucket = await current().makeBucket()
    tus = Tus.make(current(), bucket)
  })
  const listOpen = async () => (await json<{ items: ReadonlyArray<object> }>(await current().get(tus.uploads))).items

  it("checksum: each algorithm right → appended; wrong → 460, nothing of the request kept; unknown, malformed → 400", async () => {
    const path = await tus.create({ filename: "checked" }, { "upload-length": "40" })
    for (const [index, algorithm] of ["sha1", "sha256", "md5", "crc32"].entries()) {
      const part = bytes.slice(index * 10, index * 10 + 10)
      const send = (value: string) => tus.patch(path, index * 10, part, { headers: { "upload-checksum": value } })
      const wrong = await send(checksum(algorithm, bytes.slice(0, 11)))
      expect([wrong.status, wrong.statusText]).toEqual([460, "Checksum Mismatch"])
      expect(wrong.headers.get("content-type")).toBe("application/problem+json")
      expect(await wrong.json()).toMatchObject({ code: "checksum_mismatch", status: 460 })
      expect(await tus.offset(path)).toBe(index * 10)
      for (const value of ["sha512 AAAA", algorithm, `${algorithm} !`]) {
        await expectProblem(await send(value), 400, "invalid_request")
      }
      expect((await send(checksum(algorithm, part))).status).toBe(204)
    }
    expect((await tus.read(await tus.head(path))).bytes).toEqual(bytes.slice(0, 40))
    const headers = { "content-type": Tus.offsetType, "upload-length": "10", "upload-checksum": "md5 AAAA" }
    const created = await tus.post({ filename: "checked at once" }, headers, { body: bytes.slice(0, 10) })
    expect(created.status).toBe(460)
    expect(await listOpen()).toEqual([])
    const options = await tus.send("OPTIONS", tus.uploads, { key: null })
    expect(options.headers.get("tus-checksum-algorithm")).toBe("sha1,sha256,md5,crc32")
  })

  it("deferred length: declared by a later PATCH → completed there; another length, less than the offset → 400", async () => {
    const path = await tus.create({ filename: "deferred" }, { "upload-defer-length": "1" })
    expect((await tus.patch(path, 0, bytes.slice(0, 5))).status).toBe(204)
    const head = await tus.head(path)
    expect([head.headers.get("upload-defer-length"), head.headers.get("upload-length")]).toEqual(["1", null])
    const declare = (length: number, part = new Uint8Array()) =>
      tus.patch(path, 5, part, { headers: { "upload-length": String(length) } })
    await expectProblem(await declare(4), 400, "invalid_request")
    expect((await declare(9)).status).toBe(204)
    expect((await tus.head(path)).headers.get("upload-length")).toBe("9")
    await expectProblem(await declare(10), 400, "invalid_request")
    const last = await tus.patch(path, 5, bytes.slice(5, 9))
    expect((await tus.read(last)).bytes).toEqual(bytes.slice(0, 9))
  })

  it("expiration: creation, HEAD and PATCH → when the upload ends; none after the completion", async () => {
    const created = await tus.post({ filename: "expiring" }, { "upload-length": "2" })
    const path = created.headers.get("location") ?? ""
    const answers = [created, await tus.head(path), await tus.patch(path, 0, bytes.slice(0, 1))]
    for (const { headers } of answers) {
      const left = Date.parse(headers.get("upload-expires") ?? "") - Date.now()
      expect(left).toBeGreaterThan(23 * 3_600_000)
      expect(left).toBeLessThan(25 * 3_600_000)
    }
    const last = await tus.patch(path, 1, bytes.slice(0, 1))
    expect(last.headers.get("upload-expires")).toBeNull()
  })

  it("concatenation: partial uploads in another order → one file with their bytes; PATCH of it → 403; partial ones are gone", async () => {
    const partial = async (content: Uint8Array<ArrayBuffer>) => {
      const path = await tus.create({}, { "upload-concat": "partial", "upload-length": String(content.length) })
      if (content.length > 0) expect((await tus.patch(path, 0, content)).status).toBe(204)
      const head = await tus.head(path)
      expect([head.status, head.headers.get("upload-concat")]).toEqual([200, "partial"])
      return path
    }
    const second = await partial(bytes.slice(30_000))
    const empty = await partial(new Uint8Array())
    const first = await partial(bytes.slice(0, 30_000))
    const value = `final;${current().url}${first} ${empty} ${second}`
    const created = await tus.post({ filename: "joined" }, { "upload-concat": value })
    expect(created.status).toBe(201)
    const { bytes: read } = await tus.read(created)
    expect(Tus.sha256(read)).toBe(Tus.sha256(bytes))
    const path = created.headers.get("location") ?? ""
    const head = await tus.head(path)
    expect([head.headers.get("upload-concat"), head.headers.get("upload-length")]).toEqual([value, "90000"])
    await expectProblem(await tus.patch(path, 90_000, bytes.slice(0, 1)), 403, "forbidden")
    for (const gone of [first, second]) expect((await tus.head(gone)).status).toBe(404)
    expect(await listOpen()).toEqual([])
  })

  it("concatenation: completion refused → partial ones are kept, and the same request completes it later", async () => {
    const ruled = await current().makeBucket(bucket.tenantId)
    const path = `/tenants/${ruled.tenantId}/buckets/${ruled.bucketId}`
    const inRuled = Tus.make(current(), ruled)
    const accept = async (allowedTypes: ReadonlyArray<string> | null) =>
      expect((await current().patch(path, { json: { allowedTypes } })).status).toBe(200)
    const partials: Array<string> = []
    for (const content of [bytes.slice(0, 10), bytes.slice(10, 15)]) {
      const headers = { "upload-concat": "partial", "upload-length": String(content.length) }
      const partial = await inRuled.create({}, headers)
      for (const offset of [0, 5]) await inRuled.patch(partial, offset, content.slice(offset, offset + 5))
      partials.push(partial)
    }
    await accept(["image/*"])
    const join = () => inRuled.post({ filename: "joined.bin" }, { "upload-concat": `final;${partials.join(" ")}` })
    await expectProblem(await join(), 415, "unsupported_media_type")
    for (const [index, length] of [10, 5].entries()) expect(await inRuled.offset(partials[index] ?? "")).toBe(length)
    await accept(null)
    const joined = await join()
    expect(joined.status).toBe(201)
    expect((await inRuled.read(joined)).bytes).toEqual(bytes.slice(0, 15))
    expect(await json(await current().get(`${path}/usage`))).toMatchObject({ usage: { files: 1, reservedBytes: 0 } })
  })

  it("PATCH with the last bytes, completion refused → the bytes are kept; HEAD or an empty PATCH completes it later", async () => {
    const ruled = await current().makeBucket(bucket.tenantId)
    const path = `/tenants/${ruled.tenantId}/buckets/${ruled.bucketId}`
    const inRuled = Tus.make(current(), ruled)
    const accept = async (allowedTypes: ReadonlyArray<string> | null) =>
      expect((await current().patch(path, { json: { allowedTypes } })).status).toBe(200)
    const requests = {
      head: (upload: string) => inRuled.head(upload),
      patch: (upload: string) => inRuled.patch(upload, 10, new Uint8Array())
    }
    for (const [name, request] of Object.entries(requests)) {
      const upload = await inRuled.create({ filename: name }, { "upload-length": "10" })
      await accept(["image/*"])
      await expectProblem(await inRuled.patch(upload, 0, bytes.slice(0, 10)), 415, "unsupported_media_type")
      expect((await request(upload)).status).toBe(415)
      await accept(null)
      const completed = await request(upload)
      expect(completed.headers.get("upload-offset")).toBe("10")
      expect((await inRuled.read(completed)).bytes).toEqual(bytes.slice(0, 10))
    }
  })

  it("concatenation: repeated, also eight at once → one file; other metadata or order → 404", async () => {
    const partials: Array<string> = []
    for (const content of [bytes.slice(0, 10), bytes.slice(10, 15)]) {
      const headers = { "upload-concat": "partial", "upload-length": String(content.length) }
      const partial = await tus.create({}, headers)
      await tus.patch(partial, 0, content)
      partials.push(partial)
    }
    const final = (name: string, paths = partials) =>
      tus.post({ filename: name }, { "upload-concat": `final;${paths.join(" ")}` })
    const first = await Promise.all(Array.from({ length: 8 }, () => final("at-once.bin")))
    const made = first.filter(({ status }) => status === 201).map(({ headers }) => headers.get("location"))
    expect(new Set(made).size).toBe(1)
    const again = await final("at-once.bin")
    expect([again.status, again.headers.get("location")]).toEqual([201, made[0]])
    expect((await tus.read(again)).bytes).toEqual(bytes.slice(0, 15))
    await expectProblem(await final("other.bin"), 404, "not_found")
    await expectProblem(await final("at-once.bin", partials.toReversed()), 404, "not_found")
    expect(await listOpen()).toEqual([])
  })

  it("concatenation: incomplete, unknown, repeated, of another bucket, no partial upload, with a body → refused, nothing is left", async () => {
    const create = (length: number) => tus.create({}, { "upload-concat": "partial", "upload-length": String(length) })
    const incomplete = await create(5)
    const whole = await create(0)
    const plain = await tus.create({ filename: "plain" }, { "upload-length": "1" })
    const other = Tus.make(current(), await current().makeBucket(bucket.tenantId))
    const foreign = await other.create({}, { "upload-concat": "partial", "upload-length": "0" })
    const final = (...paths: ReadonlyArray<string>) =>
      tus.post({ filename: "refused" }, { "upload-concat": `final;${paths.join(" ")}` })
    await expectProblem(await final(whole, incomplete), 409, "upload_incomplete")
    await expectProblem(await final(`${tus.uploads}/upl_01890a5d-ac96-774b-bcce-b302099a8057`), 404, "not_found")
    await expectProblem(await final(foreign), 400, "invalid_request")
    await expectProblem(await final(whole, whole), 400, "invalid_request")
    await expectProblem(await final(plain), 400, "invalid_request")
    await expectProblem(await final(), 400, "invalid_request")
    await expectProblem(await tus.post({ filename: "x" }, { "upload-concat": "other" }), 400, "invalid_request")
    const body = { body: bytes.slice(0, 5) }
    const headers = { "upload-concat": `final;${whole}`, "content-type": Tus.offsetType }
    await expectProblem(await tus.post({ filename: "refused" }, headers, body), 403, "forbidden")
    expect(await listOpen()).toHaveLength(3)
    // A partial upload makes no file, also when it has all of its bytes.
    expect((await tus.patch(incomplete, 0, bytes.slice(0, 5))).status).toBe(204)
    expect((await tus.head(incomplete)).headers.get("holdfast-file-id")).toBeNull()
  })
})
