/**
 * What requests to a mounted API may do at most: permissions of the mount, and the creation of tenants.
 */
import { expect, describe, it } from "vitest"
import { toWebHandler } from "../../src/index.ts"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"
import { cookie, hosts, systemCookie } from "./SessionHosts.ts"

const session = { key: null, headers: { cookie, "sec-fetch-site": "same-origin" } }
const newTenant = { json: { name: "Other", subdomain: "other" } }

describe.each(Object.entries(hosts))("%s: limits of the host", (_, mount) => {
  const setUp = async (limits?: Parameters<typeof mount>[1]) => {
    const opened = await MountedHoldfast.openHoldfast({ publicBuckets: true })
    return { ...opened, api: MountedHoldfast.requests(await mount(opened, limits), opened) }
  }

  it("permissions → an Admin has these and no others, by session, by key and by link", async () => {
    const { api, files, holdfast, ref, root } = await setUp({ permissions: ["file:read", "bucket:read"] })
    const file = await holdfast.files.upload(root, { ...ref, name: "a", content: "hello" })
    const link = await holdfast.files.uploadUrl(root, { ...ref, path: "/", maxBytes: 9, expiresIn: 60 })
    for (const by of [session, {}]) {
      expect(await (await api.get(`${files}/${file.id}/view`, by)).text()).toBe("hello")
      expect((await api.get(`/tenants/${ref.tenantId}/buckets`, by)).status).toBe(200)
      const refused = await expectProblem(await api.post(files, { ...by, json: { name: "b" } }), 403, "forbidden")
      expect(refused.detail).toContain("gives its users no permission file:write")
      await expectProblem(await api.get(`/tenants/${ref.tenantId}`, by), 403, "forbidden")
      await expectProblem(await api.get(`/tenants/${ref.tenantId}/members`, by), 403, "forbidden")
    }
    const upload = `${api.baseUrl}${link.url.slice(link.url.indexOf("/tenants"))}&name=c`
    await expectProblem(await fetch(upload, { method: "PUT", body: "x" }), 403, "forbidden")
    expect((await holdfast.files.list(root, ref)).items.map(({ name }) => name)).toEqual(["a"])
  })

  it("permissions → tokens, roles and public buckets give no others, elsewhere either", async () => {
    const { api, files, holdfast, ref, root } = await setUp({
      permissions: ["token:manage", "member:manage", "file:write"]
    })
    const { items } = await holdfast.members.list(root, { tenantId: ref.tenantId })
    const create = (scope?: object) =>
      api.post(`/tenants/${ref.tenantId}/tokens`, {
        ...session,
        json: { name: "t", member: { id: items[0]?.id }, scope }
      })
    const { key } = await json<{ key: string }>(await create())
    await expect(holdfast.files.list(holdfast.as(key), ref)).rejects.toMatchObject({ code: "forbidden" })
    const reserved = await holdfast.files.reserve(holdfast.as(key), { ...ref, name: "by-token" })
    expect(reserved.name).toBe("by-token")
    const wider = await expectProblem(await create({ permissions: ["file:read"] }), 400, "invalid_request")
    expect(pointers(wider)).toEqual(["/scope/permissions"])
    const member = { user: { email: "new@example.com" }, role: { name: "Admin" } }
    const added = await api.post(`/tenants/${ref.tenantId}/members`, { ...session, json: member })
    await expectProblem(added, 403, "forbidden")

    await holdfast.buckets.update(root, { ...ref, visibility: "public" })
    const file = await holdfast.files.upload(root, { ...ref, name: "public", content: "x" })
    expect((await api.get(`${files}/${file.id}/view`, { key: null })).status).toBe(404)
  })

  it("permissions → tokens that the deployment itself creates have no others either", async () => {
    const { api, holdfast, ref, root } = await setUp({ permissions: ["token:manage", "file:write"] })
    const { items } = await holdfast.members.list(root, { tenantId: ref.tenantId })
    const bySystem = { key: null, headers: { cookie: systemCookie, "sec-fetch-site": "same-origin" } }
    const create = (scope?: object) =>
      api.post(`/tenants/${ref.tenantId}/tokens`, {
        ...bySystem,
        json: { name: "t", member: { id: items[0]?.id }, scope }
      })
    const { key, scope } = await json<{ key: string; scope: unknown }>(await create())
    expect(scope).toEqual({ permissions: ["token:manage", "file:write"] })
    await expect(holdfast.files.list(holdfast.as(key), ref)).rejects.toMatchObject({ code: "forbidden" })
    const wider = await expectProblem(await create({ permissions: ["file:read"] }), 400, "invalid_request")
    expect(pointers(wider)).toEqual(["/scope/permissions"])
  })

  it("permissions → no S3 credentials of a token that has others; of one that has none → 201", async () => {
    const { api, holdfast, ref, root } = await setUp({ permissions: ["token:manage", "file:write"] })
    const { tenantId } = ref
    const { items } = await holdfast.members.list(root, { tenantId })
    const member = { id: items[0]?.id ?? "" }
    const create = async (scope?: { readonly permissions: ReadonlyArray<"file:write"> }) => {
      const { id } = await holdfast.tokens.create(root, { tenantId, name: "t", member, scope })
      return api.post(`/tenants/${tenantId}/tokens/${id}/s3-credentials`, session)
    }
    const refused = await expectProblem(await create(), 403, "forbidden")
    expect(refused.detail).toContain("than the host of this API gives")
    expect((await create({ permissions: ["file:write"] })).status).toBe(201)
  })

  it("tenant by a session, of the deployment itself too → 403 unless the host allows it; by an account key → 201", async () => {
    const { api } = await setUp()
    const bySystem = { key: null, headers: { cookie: systemCookie, "sec-fetch-site": "same-origin" } }
    for (const by of [session, bySystem]) {
      const refused = await expectProblem(await api.post("/tenants", { ...by, ...newTenant }), 403, "forbidden")
      expect(refused.detail).toContain("allowTenantCreation")
    }
    expect((await api.post("/tenants", newTenant)).status).toBe(201)

    const allowed = await setUp({ allowTenantCreation: true })
    expect((await allowed.api.post("/tenants", { ...session, ...newTenant })).status).toBe(201)
  })
})

it("permission that does not exist → TypeError that lists the permissions", async () => {
  const { holdfast } = await MountedHoldfast.openHoldfast()
  const permissions: ReadonlyArray<never> = JSON.parse('["file:raed"]')
  expect(() => toWebHandler(holdfast, { permissions })).toThrow(/file:read.*file:raed/)
})
