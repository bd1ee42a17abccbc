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
