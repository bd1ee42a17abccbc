/**
 * Tests that damaged contents are repaired from their copies at mirrors, on a real disk, with a running service.
 */
import { open } from "@holdfast/core"
import * as Actor from "@holdfast/core/Actor"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { requires } from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash, randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Ceph from "../support/Ceph.ts"
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as MirrorRequests from "./MirrorRequests.ts"

type Source = Awaited<ReturnType<typeof MirrorRequests.start>>

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Returns the path of the content of a bucket that has a checksum. */
const findContent = ({ service }: Source, bucketId: string, checksum: string): string => {
  const found = Fs.readdirSync(Path.join(service.data, "blobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Path.join(entry.parentPath, entry.name))
    .find((path) => path.includes(bucketId) && sha256(Fs.readFileSync(path)) === checksum)
  if (found === undefined) throw new Error("no such content")
  return found
}

const flipBit = (path: string): void => {
  const bytes = Fs.readFileSync(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  Fs.writeFileSync(path, bytes)
}

const isDamaged = async ({ api, files }: Source, id: string): Promise<boolean> =>
  (await json<{ readonly damaged: boolean }>(await api.get(`${files}/${id}`))).damaged

const scrub = ({ service }: Source, ...args: ReadonlyArray<string>) =>
  Process.run(["scrub", "--data-dir", service.data, ...args])

/** Uploads contents of several sizes. */
const uploadAll = async (source: Source) => {
  const contents = [10, 70_000, 3_000_000, 5_000].map((size) => randomBytes(size))
  const uploads = await Promise.all(
    contents.map((content, index) => MirrorRequests.upload(source, { name: `${index}.bin`, path: "/a b/" }, content))
  )
  return { contents, uploads }
}

const expectServed = async (source: Source, id: string, content: Uint8Array) => {
  await expect.poll(() => isDamaged(source, id), { timeout: 60_000, interval: 100 }).toBe(false)
  const answer = await source.api.get(`${source.files}/${id}/view`)
  expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(content)]).toEqual([200, true])
}

/** Damages contents that a mirror has copied, and expects that the service repairs them. */
const repairsFrom = async (source: Source, input: object) => {
  const mirror = await MirrorRequests.createMirror(source, input)
  const { contents, uploads } = await uploadAll(source)
  await MirrorRequests.untilCopied(source, mirror.id)
  const paths = uploads.map(({ checksum }) => findContent(source, source.bucketId, checksum.sha256))
  const [flipped = "", cut = "", large = "", removed = ""] = paths
  flipBit(flipped)
  Fs.truncateSync(cut, 100)
  flipBit(large)
  Fs.rmSync(removed)

  // A reader finds the missing and the cut one; the scrub finds the others.
  for (const index of [1, 3]) {
    expect((await source.api.get(`${source.files}/${uploads[index]?.id}/view`)).status).toBe(500)
  }
  const found = await scrub(source)
  expect(found.stdout).toMatch(/^Damaged {2}/m)
  for (const [index, { id }] of uploads.entries()) {
    await expectServed(source, id, contents[index] ?? Buffer.alloc(0))
    expect(sha256(Fs.readFileSync(paths[index] ?? ""))).toBe(uploads[index]?.checksum.sha256)
  }
  expect(await scrub(source)).toMatchObject({ code: 0 })
  const metrics = await (await fetch(`${source.service.url}/metrics`)).text()
  // One that is repaired while the scrub reads it is reported, found good and counted once more.
  const [, repaired] = /^holdfast_contents_repaired_total (\d+)$/m.exec(metrics) ?? []
  expect(Number(repaired)).toBeGreaterThanOrEqual(4)
  return { contents, flipped, uploads }
}

it(
  "mirror to another tenant: contents flipped, cut and removed → repaired by the service",
  { timeout: 180_000 },
  async () => {
    const source = await MirrorRequests.start()
    const target = await MirrorRequests.createTarget(source.api, "target")
    const { contents, flipped, uploads } = await repairsFrom(source, MirrorRequests.mirrorToTenant(target))
    const [{ checksum } = { checksum: { sha256: "" } }] = uploads

    // Without the service, the command repairs. The content of the target is damaged later: then nothing can be repaired.
    await source.service.stop()
    flipBit(flipped)
    const repaired = await scrub(source, "--repair")
    expect(repaired.stdout).toMatch(/^Damaged .* \(repaired\)$/m)
    expect(repaired.code).toBe(0)
    expect(Fs.readFileSync(flipped).equals(contents[0] ?? Buffer.alloc(0))).toBe(true)

    const copy = findContent(source, target.bucketId, checksum.sha256)
    flipBit(flipped)
    flipBit(copy)
    const lost = await scrub(source, "--repair")
    expect([lost.code, lost.stdout.match(/^Damaged/gm)?.length]).toEqual([1, 2])
    expect(lost.stderr).toContain("2 contents are damaged. No mirror has a good copy:")
    expect(Fs.readFileSync(flipped).equals(contents[0] ?? Buffer.alloc(0))).toBe(false)
  }
)

/** Uploads parts into the directory of a service that is stopped, and begins another upload, which has expired. */
const uploadParts = async ({ bucketId, service, tenantId }: Source, parts: ReadonlyArray<Uint8Array>) => {
  const file = Path.join(service.data, "holdfast.sqlite")
  const blobs = fs({ directory: service.data })
  const holdfast = await open({ metadata: sqlite({ file }), blobs, sweepEvery: false })
  const run = Effect.runPromiseWith(PromiseApiContext.of(holdfast).services)
  const uploaded = await run(
    Effect.gen(function* () {
      const uploads = yield* ResumableUploads
      const bucket = { tenantId, bucketId }
      yield* uploads.create(Actor.system, bucket, { name: "abandoned" }, { length: 10 })
      const { id: uploadId } = yield* uploads.create(Actor.system, bucket, { name: "parts.bin" }, { mode: "PARTS" })
      const ref = { ...bucket, uploadId }
      for (const [index, bytes] of parts.entries()) {
        yield* uploads.putPart(Actor.system, ref, Stream.make(bytes), { number: index + 1 })
      }
      return yield* uploads.complete(Actor.system, ref)
    })
  )
  await holdfast.close()
  const database = new DatabaseSync(file)
  database.exec("UPDATE upload SET expires_at = 0 WHERE state = 'OPEN'")
  database.close()
  return uploaded
}

const countOpenUploads = ({ service }: Source): unknown => {
  const database = new DatabaseSync(Path.join(service.data, "holdfast.sqlite"))
  const row = database.prepare("SELECT count(*) AS uploads FROM upload WHERE state = 'OPEN'").get()
  database.close()
  return row?.["uploads"]
}

it(
  "content of several parts: service computes its digest and copies it; parts flipped and removed → repaired; expired upload deleted",
  { timeout: 180_000 },
  async () => {
    const source = await MirrorRequests.start()
    const target = await MirrorRequests.createTarget(source.api, "target")
    const mirror = await MirrorRequests.createMirror(source, MirrorRequests.mirrorToTenant(target))
    await source.service.stop()
    const parts = [70_000, 3_000_000, 5_000].map((size) => new Uint8Array(randomBytes(size)))
    const { id } = await uploadParts(source, parts)

    const service = await Process.serve({ data: source.service.data })
    const again = { ...source, service, api: Requests.make(`${service.url}/api/v1`, source.key) }
    const record = async () =>
      json<{ readonly checksum: MirrorRequests.FileRecord["checksum"] | null }>(
        await again.api.get(`${again.files}/${id}`)
      )
    await expect.poll(record, { timeout: 60_000 }).toMatchObject({ checksum: { sha256: sha256(Buffer.concat(parts)) } })
    await MirrorRequests.untilCopied(again, mirror.id)
    const paths = parts.map((bytes) => findContent(again, again.bucketId, sha256(bytes)))
    await service.stop()
    expect(countOpenUploads(again)).toBe(0)
    flipBit(paths[1] ?? "")
    Fs.rmSync(paths[2] ?? "")
    const repaired = await scrub(again, "--repair")
    expect([repaired.code, repaired.stdout.match(/\(repaired\)$/gm)?.length]).toEqual([0, 2])
    for (const [index, path] of paths.entries()) {
      expect(Fs.readFileSync(path).equals(parts[index] ?? Buffer.alloc(0))).toBe(true)
    }
  }
)

requires(Ceph.missing).describe("mirror to S3", () => {
  let ceph: Ceph.Ceph
  beforeAll(async () => {
    ceph = await Ceph.start()
  }, 120_000)
  afterAll(() => ceph.close())

  it("contents flipped, cut and removed → repaired by the service", { timeout: 180_000 }, async () => {
    const source = await MirrorRequests.start({ env: { HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })
    await repairsFrom(source, MirrorRequests.mirrorToS3(ceph, await ceph.makeBucket()))
  })
})
