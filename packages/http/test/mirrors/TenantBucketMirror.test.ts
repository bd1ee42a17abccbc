/**
 * Tests of mirrors to another tenant, over HTTP against the service.
 */
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as MirrorRequests from "./MirrorRequests.ts"

const id = expect.stringMatching(/^mir_[0-9a-f-]{36}$/)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

const contentOf = async (source: MirrorRequests.BucketApi, name: string): Promise<string> => {
  const file = (await MirrorRequests.listFiles(source)).get(name)
  return file === undefined ? "" : (await source.api.get(`${source.files}/${file.id}/view`)).text()
}

it(
  "create → existing files copied; files uploaded, overwritten, renamed, removed → copied",
  { timeout: 120_000 },
  async () => {
    const source = await MirrorRequests.start()
    const target = await MirrorRequests.createTarget(source.api, "target")
    const headers = [{ name: "cache-control", value: "no-cache" }]
    const first = await MirrorRequests.upload(
      source,
      { name: "a.txt", path: "/x/", metadata: { n: 1 }, headers },
      "one"
    )

    const answer = await source.api.post(source.mirrors, { json: MirrorRequests.mirrorToTenant(target) })
    const mirror = await json<MirrorRequests.Mirror>(answer)
    expect(answer.status).toBe(201)
    expect(answer.headers.get("location")).toBe(`/api/v1${source.mirrors}/${mirror.id}`)
    expect(mirror).toEqual({
      id,
      name: "To the other tenant",
      type: "SERVICE",
      bucketId: source.bucketId,
      serviceTenantId: target.tenantId,
      serviceBucketId: target.bucketId,
      state: "ACTIVE",
      stats: expect.objectContaining({ pending: expect.any(Number), copied: expect.any(Number), lastError: null }),
      createdBy: { member: { id: expect.stringMatching(/^mem_/) }, token: null },
      createdAt: time,
      updatedAt: time
    })

    expect((await MirrorRequests.untilCopied(source, mirror.id)).stats).toMatchObject({ copied: 1, pendingBytes: 0 })
    const [copy] = [...(await MirrorRequests.listFiles(target)).values()]
    expect(copy).toMatchObject({ name: "a.txt", path: "/x/", metadata: { n: 1 }, checksum: first.checksum })
    expect(copy?.headers).toEqual(expect.arrayContaining(headers))

    await MirrorRequests.upload(source, { name: "b.txt" }, "two")
    await source.api.post(`${source.files}/${first.id}/reupload`, { body: "three" })
    await MirrorRequests.untilCopied(source, mirror.id)
    expect([await contentOf(target, "/b.txt"), await contentOf(target, "/x/a.txt")]).toEqual(["two", "three"])

    // Larger than one read of the store, so that buffers are reused.
    const large = randomBytes(3_500_000)
    const { checksum } = await MirrorRequests.upload(source, { name: "large.bin" }, large)
    await MirrorRequests.untilCopied(source, mirror.id)
    const copied = (await MirrorRequests.listFiles(target)).get("/large.bin")
    expect(copied?.checksum).toEqual(checksum)
    const bytes = await (await source.api.get(`${target.files}/${copied?.id}/view`)).arrayBuffer()
    expect(large.equals(Buffer.from(bytes))).toBe(true)

    await source.api.patch(`${source.files}/${first.id}`, { json: { name: "c.txt", path: "/" } })
    await MirrorRequests.untilCopied(source, mirror.id)
    expect([...(await MirrorRequests.listFiles(target)).keys()].toSorted()).toEqual(["/b.txt", "/c.txt", "/large.bin"])

    expect((await source.api.delete(`${source.files}/${first.id}`)).status).toBe(204)
    await MirrorRequests.untilCopied(source, mirror.id)
    expect([...(await MirrorRequests.listFiles(target)).keys()]).toEqual(["/b.txt", "/large.bin"])
  }
)

it("list, files, update, sync, remove → the records, and the copies follow", { timeout: 120_000 }, async () => {
  const source = await MirrorRequests.start()
  const target = await MirrorRequests.createTarget(source.api, "target")
  for (const name of ["a", "b", "c"]) await MirrorRequests.upload(source, { name }, name)
  const { id } = await MirrorRequests.createMirror(source, MirrorRequests.mirrorToTenant(target))
  const other = await MirrorRequests.createMirror(
    source,
    MirrorRequests.mirrorToTenant(await MirrorRequests.createTarget(source.api, "other"))
  )
  const own = `${source.mirrors}/${id}`

  type Page<A> = { readonly items: ReadonlyArray<A>; readonly nextCursor: string | null }
  const first = await json<Page<MirrorRequests.Mirror>>(await source.api.get(source.mirrors, { query: { limit: "1" } }))
  expect(first.items.map((mirror) => mirror.id)).toEqual([id])
  const query = { cursor: first.nextCursor ?? "" }
  const rest = await json<Page<MirrorRequests.Mirror>>(await source.api.get(source.mirrors, { query }))
  expect([rest.items.map((mirror) => mirror.id), rest.nextCursor]).toEqual([[other.id], null])

  await MirrorRequests.untilCopied(source, id)
  const files = async (query: Record<string, string>) =>
    json<Page<{ readonly name: string; readonly state: string }>>(await source.api.get(`${own}/files`, { query }))
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
  await expectProblem(await source.api.get(`${own}/files`, { query: { state: "LOST" } }), 400, "invalid_request")
  await expectProblem(await source.api.get(`${own}/files`, { query: { cursor: "x" } }), 400, "invalid_cursor")

  const renamed = await source.api.patch(own, { json: { name: "Second site", paused: true } })
  expect([renamed.status, await renamed.json()]).toMatchObject([200, { name: "Second site", state: "PAUSED" }])
  await MirrorRequests.upload(source, { name: "d" }, "d")
  await MirrorRequests.untilCopied(source, other.id)
  expect((await MirrorRequests.getMirror(source, id)).stats).toMatchObject({ pending: 1, pendingBytes: 1 })
  expect(await json(await source.api.patch(own, { json: { paused: false } }))).toMatchObject({ state: "ACTIVE" })
  await MirrorRequests.untilCopied(source, id)
  expect(await contentOf(target, "/d")).toBe("d")

  // A copy that is removed at the target is restored by a reconciliation.
  const copy = (await MirrorRequests.listFiles(target)).get("/a")
  expect((await target.api.delete(`${target.files}/${copy?.id}`)).status).toBe(204)
  const synced = await source.api.post(`${own}/sync`)
  expect([synced.status, await synced.json()]).toMatchObject([202, { id }])
  await expect.poll(() => contentOf(target, "/a"), { timeout: 60_000 }).toBe("a")

  expect((await source.api.delete(own)).status).toBe(204)
  await expectProblem(await source.api.get(own), 404, "not_found")
  await expectProblem(await source.api.delete(own), 404, "not_found")
  await MirrorRequests.upload(source, { name: "e" }, "e")
  await MirrorRequests.untilCopied(source, other.id)
  expect([...(await MirrorRequests.listFiles(target)).keys()].toSorted()).toEqual(["/a", "/b", "/c", "/d"])
})

it(
  "create: key whose scope is the target's bucket → copied; another bucket or a folder of it → 422",
  { timeout: 120_000 },
  async () => {
    const source = await MirrorRequests.start()
    const target = await MirrorRequests.createTarget(source.api, "scoped")
    const { bucketId } = target
    const create = async (scope: object) => {
      const apiKey = await MirrorRequests.createKey(target, "File Writer", scope)
      return source.api.post(source.mirrors, { json: { ...MirrorRequests.mirrorToTenant(target), apiKey } })
    }
    for (const scope of [{ bucketIds: [source.bucketId] }, { bucketIds: [bucketId], pathPrefix: "/copies/" }]) {
      const refused = await expectProblem(await create(scope), 422, "mirror_target_unreachable")
      expect(refused.reason).toBe("Denied")
    }
    await MirrorRequests.upload(source, { name: "a", path: "/in/" }, "a")
    const created = await create({ bucketIds: [bucketId], permissions: ["file:read", "file:write"] })
    expect(created.status).toBe(201)
    await MirrorRequests.untilCopied(source, (await json<MirrorRequests.Mirror>(created)).id)
    expect([...(await MirrorRequests.listFiles(target)).keys()]).toEqual(["/in/a"])
  }
)

it(
  "create: key without permission → 422; with verify=false → FAILING until the mirror has another key",
  { timeout: 120_000 },
  async () => {
    const source = await MirrorRequests.start()
    const target = await MirrorRequests.createTarget(source.api, "target")
    const apiKey = await MirrorRequests.createKey(target, "File Reader")
    const wrong = { ...MirrorRequests.mirrorToTenant(target), apiKey }
    const refused = await expectProblem(
      await source.api.post(source.mirrors, { json: wrong }),
      422,
      "mirror_target_unreachable"
    )
    expect(refused.detail).toMatch(/^The target of the mirror cannot be used: ./)
    expect(refused.detail).not.toContain(apiKey)
    expect(refused.reason).toBe("Denied")
    expect((await json<{ items: unknown }>(await source.api.get(source.mirrors))).items).toEqual([])

    await MirrorRequests.upload(source, { name: "a" }, "a")
    const answer = await source.api.post(source.mirrors, {
      json: { ...wrong, verify: true },
      query: { verify: "false" }
    })
    const { id } = await json<MirrorRequests.Mirror>(answer)
    expect(answer.status).toBe(201)
    const failing = await MirrorRequests.untilInState(source, id, "FAILING")
    expect(failing.stats).toMatchObject({ pending: 1, copied: 0, lastError: expect.stringMatching(/./) })

    const own = `${source.mirrors}/${id}`
    await expectProblem(await source.api.patch(own, { json: { apiKey } }), 422, "mirror_target_unreachable")
    const repaired = await source.api.patch(own, { json: { apiKey: target.apiKey } })
    expect(repaired.status).toBe(200)
    expect(JSON.stringify(await repaired.json())).not.toContain(target.apiKey)
    expect((await MirrorRequests.untilCopied(source, id)).stats).toMatchObject({ copied: 1, lastError: null })
    expect((await source.api.post(source.mirrors, { json: { ...wrong, verify: false } })).status).toBe(201)
  }
)

it("create: mirror that closes a loop → 409", async () => {
  const source = await MirrorRequests.start()
  const target = await MirrorRequests.createTarget(source.api, "target")
  const back = { ...source, apiKey: await MirrorRequests.createKey(source, "File Writer") }
  await expectProblem(
    await source.api.post(source.mirrors, { json: MirrorRequests.mirrorToTenant(back) }),
    409,
    "mirror_loop"
  )
  await MirrorRequests.createMirror(source, MirrorRequests.mirrorToTenant(target))
  await expectProblem(
    await source.api.post(target.mirrors, { json: MirrorRequests.mirrorToTenant(back) }),
    409,
    "mirror_loop"
  )
})

it("create, get, update: invalid body → 400 with every fault, without its values; unknown id → 404", async () => {
  const source = await MirrorRequests.start()
  const post = async (json: unknown) =>
    expectProblem(await source.api.post(source.mirrors, { json }), 400, "invalid_request")
  expect(pointers(await post({ name: "x", type: "FTP", apiKey: "hunter2" }))).toEqual(["/type"])
  expect(pointers(await post({ type: "S3", secretAccessKey: 5, endpoint: "ftp://x" }))).toEqual([
    "/accessKeyId",
    "/bucketName",
    "/endpoint",
    "/name",
    "/region",
    "/secretAccessKey"
  ])
  const own = { ...MirrorRequests.mirrorToTenant({ ...source, apiKey: "hunter2" }), bucketId: "bkt_other" }
  expect(pointers(await post(own))).toEqual(["/bucketId"])
  expect(JSON.stringify(await post({ type: "SERVICE", apiKey: ["hunter2"] }))).not.toContain("hunter2")
  const unknown = `${source.mirrors}/mir_01890a5d-ac96-774b-bcce-b302099a8057`
  for (const path of [unknown, `${source.mirrors}/nonsense`]) {
    await expectProblem(await source.api.get(path), 404, "not_found")
    await expectProblem(await source.api.patch(path, { json: { name: "x" } }), 404, "not_found")
    await expectProblem(await source.api.post(`${path}/sync`), 404, "not_found")
    await expectProblem(await source.api.get(`${path}/files`), 404, "not_found")
  }
})

it("--mirrors 0 → nothing copied; next node → copied", { timeout: 120_000 }, async () => {
  const idle = await MirrorRequests.start({ args: ["--mirrors", "0"] })
  const target = await MirrorRequests.createTarget(idle.api, "target")
  await MirrorRequests.upload(idle, { name: "a" }, "a")
  const { id } = await MirrorRequests.createMirror(idle, MirrorRequests.mirrorToTenant(target))
  const waiting = await MirrorRequests.getMirror(idle, id)
  expect(waiting).toMatchObject({ state: "ACTIVE", stats: { pending: 1, pendingBytes: 1, copied: 0 } })
  await idle.service.stop()

  const service = await Process.serve({ data: idle.service.data })
  const source = MirrorRequests.fromIds(Requests.make(`${service.url}/api/v1`, idle.key), idle)
  expect((await MirrorRequests.untilCopied(source, id)).stats).toMatchObject({ copied: 1, lagSeconds: 0 })
})

it(
  "target bucket does not allow the type of a file → the file fails, the others are copied",
  { timeout: 120_000 },
  async () => {
    const source = await MirrorRequests.start()
    const target = await MirrorRequests.createTarget(source.api, "rules")
    const bucket = `/tenants/${target.tenantId}/buckets/${target.bucketId}`
    await source.api.patch(bucket, { json: { allowedTypes: ["text/*"], maxFileBytes: 5 } })
    await MirrorRequests.upload(source, { name: "a.txt" }, "12345")
    await MirrorRequests.upload(source, { name: "b.txt" }, "123456")
    await MirrorRequests.upload(source, { name: "c.pdf" }, "%PDF")
    const { id } = await MirrorRequests.createMirror(source, MirrorRequests.mirrorToTenant(target))
    const errors = async () => {
      const query = { state: "FAILED" }
      const { items } = await json<{
        readonly items: ReadonlyArray<{ readonly name: string; readonly error: string }>
      }>(await source.api.get(`${source.mirrors}/${id}/files`, { query }))
      return items.map(({ error, name }) => `${name}: ${error}`).join("\n")
    }
    const options = { timeout: 60_000, interval: 100 }
    await expect.poll(errors, options).toMatch(/b.txt: .*maxFileBytes[^]*c.pdf: .*allowedTypes are text/)
    await expect.poll(async () => [...(await MirrorRequests.listFiles(target)).keys()], options).toEqual(["/a.txt"])
  }
)
