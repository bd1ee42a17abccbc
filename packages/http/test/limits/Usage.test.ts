/**
 * What tenants and buckets use, and the limits that the operator sets.
 */
import * as Actor from "@holdfast/core/Actor"
import type { ChangeQuota } from "@holdfast/core/quotas/Quota"
import { ShareRepository } from "@holdfast/core/files/shares/ShareRepository"
import * as Settings from "@holdfast/core/Settings"
import { Quotas } from "@holdfast/core/usage/Quotas"
import * as DateTime from "effect/DateTime"
import { expect, it } from "vitest"
import { describeEach } from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"

const none = { files: 0, contentBytes: 0, streamBytes: 0, reservedBytes: 0 }

describeEach("usage", (current) => {
  const set = (tenantId: string, change: ChangeQuota) =>
    current().run(Quotas.use((quotas) => quotas.set(Actor.system, tenantId, change)))

  it("files uploaded, replaced, removed → counted in the bucket and the tenant, with their limits", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const { bucketId, tenantId } = bucket
    const other = await server.makeBucket(tenantId)
    const usageOf = async (path: string) => json(await server.get(`/tenants/${tenantId}${path}/usage`))
    const ofBucket = { usage: none, limits: { bytes: null, files: null } }
    expect(await usageOf(`/buckets/${bucketId}`)).toEqual(ofBucket)
    const counts = { buckets: 2, members: 1, tokens: 0, mirrors: 0, webhooks: 0, shares: 0, conversions: 0 }
    expect(await usageOf("")).toEqual({ usage: { ...none, ...counts }, limits: Settings.defaults.quota })
    const { id } = await server.makeFile(bucket, "12345", { name: "a" })
    await server.makeFile(other, "123", { name: "b" })
    const path = `/tenants/${tenantId}/buckets/${bucketId}/files/${id}`
    await server.post(`${path}/reupload`, { body: "1234567" })
    expect(await usageOf(`/buckets/${bucketId}`)).toMatchObject({ usage: { ...none, files: 1, contentBytes: 7 } })
    expect(await usageOf("")).toMatchObject({ usage: { ...none, files: 2, contentBytes: 10 } })
    await server.delete(path)
    expect(await usageOf("")).toMatchObject({ usage: { ...none, files: 1, contentBytes: 3 } })
    await server.makeToken(tenantId, "File Reader")
    expect(await usageOf("")).toMatchObject({ usage: { ...counts, members: 2, tokens: 1 } })
    await expectProblem(await server.get(`/tenants/${tenantId}/buckets/bkt_x/usage`), 404, "not_found")
  })

  it("operator sets limits → shown to the tenant, and an event says from what to what", async () => {
    const server = current()
    const { tenantId } = await server.makeTenant()
    expect(await set(tenantId, { bytes: 1000, buckets: null })).toEqual({
      limits: { ...Settings.defaults.quota, bytes: 1000, buckets: null },
      own: { bytes: 1000, buckets: null }
    })
    await set(tenantId, { bytes: 2000, buckets: "default" })
    const { limits } = await json<{ readonly limits: object }>(await server.get(`/tenants/${tenantId}/usage`))
    expect(limits).toEqual({ ...Settings.defaults.quota, bytes: 2000 })
    const query = { action: "quota.changed", limit: "1" }
    expect(await json(await server.get(`/tenants/${tenantId}/events`, { query }))).toMatchObject({
      items: [
        {
          actor: { kind: "SYSTEM" },
          target: { type: "TENANT", id: tenantId },
          detail: { former: { bytes: 1000, buckets: null }, limits: { bytes: 2000 } }
        }
      ]
    })
  })

  it("faulty limits → the fault names the field; an Admin may not set limits", async () => {
    const { tenantId } = await current().makeTenant()
    const flipped = set(tenantId, { bytes: -1, buckets: 100_001 })
    await expect(flipped).rejects.toMatchObject({
      errors: [{ pointer: "/bytes" }, { pointer: "/buckets" }]
    })
  })

  it("count limits: 20 requests at the same time → as many records as the limit, the others 403 quota_exceeded", async () => {
    const server = current()
    const { bucketId, tenantId } = await server.makeBucket()
    await set(tenantId, { buckets: 4, members: 4, tokens: 3, mirrors: 3, webhooks: 3, shares: 3 })
    const tenant = `/tenants/${tenantId}`
    const me = await json<{ readonly items: ReadonlyArray<{ readonly id: string }> }>(
      await server.get(`${tenant}/members`)
    )
    const expectRoom = async (limit: string, maximum: number, send: (index: number) => Promise<Response>) => {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        const problem = await expectProblem(answer, 403, "quota_exceeded")
        expect(problem).toMatchObject({ quota: { owner: "tenant", limit, maximum, use: maximum } })
        expect(problem.detail).toContain(`${maximum} ${limit}`)
      }
    }
    await expectRoom("buckets", 4, (index) => server.post(`${tenant}/buckets`, { json: { name: `n${index}` } }))
    await expectRoom("members", 4, (index) => {
      const user = { email: `${tenantId}-${index}@example.com` }
      return server.post(`${tenant}/members`, { json: { user, role: { name: "File Reader" } } })
    })
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const member = { id: me.items[0]?.id }
    await expectRoom("tokens", 3, () => server.post(`${tenant}/tokens`, { json: { name: "t", member, expiresAt } }))
    const mirror = {
      name: "m",
      type: "SERVICE",
      serviceTenantId: "ten_01890a5d-ac96-774b-bcce-b302099a8057",
      serviceBucketId: "bkt_01890a5d-ac96-774b-bcce-b302099a8057",
      apiKey: "none",
      verify: false
    }
    await expectRoom("mirrors", 3, () => server.post(`${tenant}/buckets/${bucketId}/mirrors`, { json: mirror }))
    const webhook = { name: "w", url: "https://example.com/" }
    await expectRoom("webhooks", 3, () => server.post(`${tenant}/webhooks`, { json: webhook }))
    await expectRoom("shares", 3, () => server.post(`${tenant}/buckets/${bucketId}/shares`, { json: { name: "s" } }))
    expect(await json(await server.get(`${tenant}/usage`))).toMatchObject({
      usage: { buckets: 4, members: 4, tokens: 3, mirrors: 3, webhooks: 3, shares: 3 }
    })
  })

  it("shares: PATCH makes an expired one valid again at the limit → 403; with room → 200", async () => {
    const server = current()
    const ref = await server.makeBucket()
    const shares = `/tenants/${ref.tenantId}/buckets/${ref.bucketId}/shares`
    const create = async () => (await json<{ id: string }>(await server.post(shares, { json: { name: "s" } }))).id
    const [expired, valid] = [await create(), await create()]
    const now = DateTime.makeUnsafe(Date.now())
    const change = { expiresAt: DateTime.subtract(now, { hours: 1 }) }
    await server.run(
      ShareRepository.use(({ update }) => update({ share: { ...ref, shareId: expired }, change, at: now }))
    )
    await set(ref.tenantId, { shares: 1 })
    const extend = (id: string) => server.patch(`${shares}/${id}`, { json: { expiresAt: null } })
    const problem = await expectProblem(await extend(expired), 403, "quota_exceeded")
    expect(problem).toMatchObject({ quota: { owner: "tenant", limit: "shares", maximum: 1, use: 1 } })
    expect((await extend(valid)).status).toBe(200)
    await set(ref.tenantId, { shares: 2 })
    expect((await extend(expired)).status).toBe(200)
  })

  it("headers per file: beyond the limit → 403 for new files and changes; replaced and removed at the limit → accepted", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const headers = ["a", "b", "c"].map((letter) => ({ name: `x-own-${letter}`, value: "1" }))
    const { path } = await server.makeFile(bucket, "1", { headers })
    await set(bucket.tenantId, { headersPerFile: 2 })
    const expectRefused = async (answer: Response, use: number) => {
      const problem = await expectProblem(answer, 403, "quota_exceeded")
      expect(problem).toMatchObject({ quota: { owner: "tenant", limit: "headersPerFile", maximum: 2, use } })
      expect(problem.detail).toContain("2 headers")
    }
    await expectRefused(await server.post(files, { json: { name: "reserved", headers } }), 0)
    const body = new FormData()
    body.append("body", JSON.stringify({ name: "uploaded", headers }))
    body.append("file", new Blob(["1"]))
    await expectRefused(await server.post(`${files}/upload`, { body }), 0)
    await expectRefused(await server.post(`${path}/headers`, { json: { name: "x-own-d", value: "1" } }), 3)
    expect((await server.post(`${path}/headers`, { json: { name: "x-own-a", value: "2" } })).status).toBe(201)
    for (const letter of ["a", "b"]) await server.delete(`${path}/headers/x-own-${letter}`)
    const bulk = headers.slice(0, 2)
    await expectRefused(await server.post(`${path}/headers/bulk`, { json: { bulk } }), 1)
    expect((await server.post(`${path}/headers`, { json: headers[0] })).status).toBe(201)
    expect((await server.makeFile(bucket, "1", { headers: bulk })).id).toMatch(/^fil_/)
  })

  it("limits on bytes and files, of the tenant and of a bucket → uploads beyond are refused, within a second", async () => {
    const server = current()
    const bucket = await server.makeBucket()
    const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}`
    const upload = (name: string, content: string) => {
      const body = new FormData()
      body.append("body", JSON.stringify({ name }))
      body.append("file", new Blob([content]))
      return server.post(`${path}/files/upload`, { body })
    }
    await set(bucket.tenantId, { bytes: 10 })
    expect((await upload("a", "1234567890")).status).toBe(201)
    const ofTenant = await expectProblem(await upload("b", "1"), 403, "quota_exceeded")
    expect(ofTenant).toMatchObject({ quota: { owner: "tenant", limit: "bytes", maximum: 10, use: 10 } })
    await set(bucket.tenantId, { bytes: "default" })
    await server.patch(path, { json: { maxFiles: 2 } })
    expect(await json(await server.get(`${path}/usage`))).toMatchObject({ limits: { bytes: null, files: 2 } })
    await expect.poll(async () => (await upload("b", "1")).status, { timeout: 20_000 }).toBe(201)
    await expect.poll(async () => (await upload("c", "1")).status, { timeout: 20_000 }).toBe(403)
  })
})
