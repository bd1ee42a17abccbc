/**
 * What tenants and buckets use, and the limits that the operator sets.
 */
import * as Actor from "@holdfast/core/Actor"
import type { ChangeQuota } from "@holdfast/core/quotas/Quota"
import * as Settings from "@holdfast/core/Settings"
import { Quotas } from "@holdfast/core/usage/Quotas"
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
    const counts = { buckets: 2, members: 1, tokens: 0, mirrors: 0, conversions: 0 }
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
})
