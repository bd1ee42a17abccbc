/**
 * Mirrors to another tenant, over HTTP against the real service.
 */
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as Site from "./Site.ts"

const id = expect.stringMatching(/^mir_[0-9a-f-]{36}$/)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

const contentOf = async (site: Site.Site, name: string): Promise<string> => {
  const file = (await Site.listFiles(site)).get(name)
  return file === undefined ? "" : (await site.api.get(`${site.files}/${file.id}/view`)).text()
}

it("a mirror copies what is there, and follows every change", { timeout: 120_000 }, async () => {
  const site = await Site.start()
  const target = await Site.makeTarget(site.api, "target")
  const headers = [{ name: "cache-control", value: "no-cache" }]
  const first = await Site.upload(site, { name: "a.txt", path: "/x/", metadata: { n: 1 }, headers }, "one")

  const answer = await site.api.post(site.mirrors, { json: Site.toTarget(target) })
  const mirror = await json<Site.Mirror>(answer)
  expect(answer.status).toBe(201)
  expect(answer.headers.get("location")).toBe(`/api/v1${site.mirrors}/${mirror.id}`)
  expect(mirror).toEqual({
    id,
    name: "To the other tenant",
    type: "SERVICE",
    bucketId: site.bucketId,
    serviceTenantId: target.tenantId,
    serviceBucketId: target.bucketId,
    state: "ACTIVE",
    stats: expect.objectContaining({ pending: expect.any(Number), copied: expect.any(Number), lastError: null }),
    createdAt: time,
    updatedAt: time
  })

  expect((await Site.settled(site, mirror.id)).stats).toMatchObject({ copied: 1, pendingBytes: 0 })
  const [copy] = [...(await Site.listFiles(target)).values()]
  expect(copy).toMatchObject({ name: "a.txt", path: "/x/", metadata: { n: 1 }, checksum: first.checksum })
  expect(copy?.headers).toEqual(expect.arrayContaining(headers))

  await Site.upload(site, { name: "b.txt" }, "two")
  await site.api.post(`${site.files}/${first.id}/reupload`, { body: "three" })
  await Site.settled(site, mirror.id)
  expect([await contentOf(target, "/b.txt"), await contentOf(target, "/x/a.txt")]).toEqual(["two", "three"])

  // More than is read at once, so that memory is used again.
  const large = randomBytes(3_500_000)
  const { checksum } = await Site.upload(site, { name: "large.bin" }, large)
  await Site.settled(site, mirror.id)
  const copied = (await Site.listFiles(target)).get("/large.bin")
  expect(copied?.checksum).toEqual(checksum)
  const bytes = await (await site.api.get(`${target.files}/${copied?.id}/view`)).arrayBuffer()
  expect(large.equals(Buffer.from(bytes))).toBe(true)

  await site.api.patch(`${site.files}/${first.id}`, { json: { name: "c.txt", path: "/" } })
  await Site.settled(site, mirror.id)
  expect([...(await Site.listFiles(target)).keys()].toSorted()).toEqual(["/b.txt", "/c.txt", "/large.bin"])

  expect((await site.api.delete(`${site.files}/${first.id}`)).status).toBe(204)
  await Site.settled(site, mirror.id)
  expect([...(await Site.listFiles(target)).keys()]).toEqual(["/b.txt", "/large.bin"])
})

it("can be listed, read, renamed, paused, compared and removed", { timeout: 120_000 }, async () => {
  const site = await Site.start()
  const target = await Site.makeTarget(site.api, "target")
  for (const name of ["a", "b", "c"]) await Site.upload(site, { name }, name)
  const { id } = await Site.createMirror(site, Site.toTarget(target))
  const other = await Site.createMirror(site, Site.toTarget(await Site.makeTarget(site.api, "other")))
  const own = `${site.mirrors}/${id}`

  type Page<A> = { readonly items: ReadonlyArray<A>; readonly nextCursor: string | null }
  const first = await json<Page<Site.Mirror>>(await site.api.get(site.mirrors, { query: { limit: "1" } }))
  expect(first.items.map((mirror) => mirror.id)).toEqual([id])
  const query = { cursor: first.nextCursor ?? "" }
  const rest = await json<Page<Site.Mirror>>(await site.api.get(site.mirrors, { query }))
  expect([rest.items.map((mirror) => mirror.id), rest.nextCursor]).toEqual([[other.id], null])

  await Site.settled(site, id)
  const files = async (query: Record<string, string>) =>
    json<Page<{ readonly name: string; readonly state: string }>>(await site.api.get(`${own}/files`, { query }))
  const page = await files({ limit: "2", state: "COPIED" })
  expect(page.items).toMatchObject([{ name: "a" }, { name: "b" }])
  expect((await files({ cursor: page.nextCursor ?? "" })).items).toEqual([
    {
      fileId: expect.stringMatching(/^fil_/),
      path: "/",
      name: "c",
      state: "COPIED",
      error: null,
      attempts: 0,
      pendingSince: null,
      nextTryAt: null
    }
  ])
  expect((await files({ state: "FAILED" })).items).toEqual([])
  await expectProblem(await site.api.get(`${own}/files`, { query: { state: "LOST" } }), 400, "invalid_request")
  await expectProblem(await site.api.get(`${own}/files`, { query: { cursor: "x" } }), 400, "invalid_cursor")

  const renamed = await site.api.patch(own, { json: { name: "Second site", paused: true } })
  expect([renamed.status, await renamed.json()]).toMatchObject([200, { name: "Second site", state: "PAUSED" }])
  await Site.upload(site, { name: "d" }, "d")
  await Site.settled(site, other.id)
  expect((await Site.getMirror(site, id)).stats).toMatchObject({ pending: 1, pendingBytes: 1 })
  expect(await json(await site.api.patch(own, { json: { paused: false } }))).toMatchObject({ state: "ACTIVE" })
  await Site.settled(site, id)
  expect(await contentOf(target, "/d")).toBe("d")

  // Somebody removes a copy; a comparison brings it back.
  const copy = (await Site.listFiles(target)).get("/a")
  expect((await target.api.delete(`${target.files}/${copy?.id}`)).status).toBe(204)
  const synced = await site.api.post(`${own}/sync`)
  expect([synced.status, await synced.json()]).toMatchObject([202, { id }])
  await expect.poll(() => contentOf(target, "/a"), { timeout: 60_000 }).toBe("a")

  expect((await site.api.delete(own)).status).toBe(204)
  await expectProblem(await site.api.get(own), 404, "not_found")
  await expectProblem(await site.api.delete(own), 404, "not_found")
  await Site.upload(site, { name: "e" }, "e")
  await Site.settled(site, other.id)
  expect([...(await Site.listFiles(target)).keys()].toSorted()).toEqual(["/a", "/b", "/c", "/d"])
})

it(
  "a target that refuses is told before, or shown afterwards until it is given another key",
  { timeout: 120_000 },
  async () => {
    const site = await Site.start()
    const target = await Site.makeTarget(site.api, "target")
    const apiKey = await Site.makeKey(target, "File Reader")
    const wrong = { ...Site.toTarget(target), apiKey }
    const refused = await expectProblem(
      await site.api.post(site.mirrors, { json: wrong }),
      422,
      "mirror_target_unreachable"
    )
    expect(refused.detail).toMatch(/^The target of the mirror cannot be used: ./)
    expect(refused.detail).not.toContain(apiKey)
    expect(refused.reason).toBe("Denied")
    expect((await json<{ items: unknown }>(await site.api.get(site.mirrors))).items).toEqual([])

    await Site.upload(site, { name: "a" }, "a")
    const answer = await site.api.post(site.mirrors, { json: { ...wrong, verify: true }, query: { verify: "false" } })
    const { id } = await json<Site.Mirror>(answer)
    expect(answer.status).toBe(201)
    const failing = await Site.inState(site, id, "FAILING")
    expect(failing.stats).toMatchObject({ pending: 1, copied: 0, lastError: expect.stringMatching(/./) })

    const own = `${site.mirrors}/${id}`
    await expectProblem(await site.api.patch(own, { json: { apiKey } }), 422, "mirror_target_unreachable")
    const repaired = await site.api.patch(own, { json: { apiKey: target.apiKey } })
    expect(repaired.status).toBe(200)
    expect(JSON.stringify(await repaired.json())).not.toContain(target.apiKey)
    expect((await Site.settled(site, id)).stats).toMatchObject({ copied: 1, lastError: null })
    expect((await site.api.post(site.mirrors, { json: { ...wrong, verify: false } })).status).toBe(201)
  }
)

it("mirrors that would close a circle are refused", async () => {
  const site = await Site.start()
  const target = await Site.makeTarget(site.api, "target")
  const back = { ...site, apiKey: await Site.makeKey(site, "File Writer") }
  await expectProblem(await site.api.post(site.mirrors, { json: Site.toTarget(back) }), 409, "mirror_loop")
  await Site.createMirror(site, Site.toTarget(target))
  await expectProblem(await site.api.post(target.mirrors, { json: Site.toTarget(back) }), 409, "mirror_loop")
})

it("bodies that are no mirrors are refused with every fault, and without what they hold", async () => {
  const site = await Site.start()
  const post = async (json: unknown) =>
    expectProblem(await site.api.post(site.mirrors, { json }), 400, "invalid_request")
  expect(pointers(await post({ name: "x", type: "FTP", apiKey: "hunter2" }))).toEqual(["/type"])
  expect(pointers(await post({ type: "S3", secretAccessKey: 5, endpoint: "ftp://x" }))).toEqual([
    "/accessKeyId",
    "/bucketName",
    "/endpoint",
    "/name",
    "/region",
    "/secretAccessKey"
  ])
  const own = { ...Site.toTarget({ ...site, apiKey: "hunter2" }), bucketId: "bkt_other" }
  expect(pointers(await post(own))).toEqual(["/bucketId"])
  expect(JSON.stringify(await post({ type: "SERVICE", apiKey: ["hunter2"] }))).not.toContain("hunter2")
  const unknown = `${site.mirrors}/mir_01890a5d-ac96-774b-bcce-b302099a8057`
  for (const path of [unknown, `${site.mirrors}/nonsense`]) {
    await expectProblem(await site.api.get(path), 404, "not_found")
    await expectProblem(await site.api.patch(path, { json: { name: "x" } }), 404, "not_found")
    await expectProblem(await site.api.post(`${path}/sync`), 404, "not_found")
    await expectProblem(await site.api.get(`${path}/files`), 404, "not_found")
  }
})

it("a node that copies nothing leaves the work to the next one", { timeout: 120_000 }, async () => {
  const idle = await Site.start({ args: ["--mirrors", "0"] })
  const target = await Site.makeTarget(idle.api, "target")
  await Site.upload(idle, { name: "a" }, "a")
  const { id } = await Site.createMirror(idle, Site.toTarget(target))
  const waiting = await Site.getMirror(idle, id)
  expect(waiting).toMatchObject({ state: "ACTIVE", stats: { pending: 1, pendingBytes: 1, copied: 0 } })
  await idle.service.stop()

  const service = await Process.serve({ data: idle.service.data })
  const site = Site.at(Requests.make(`${service.url}/api/v1`, idle.key), idle)
  expect((await Site.settled(site, id)).stats).toMatchObject({ copied: 1, lagSeconds: 0 })
})
