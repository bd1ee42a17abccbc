import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface Member {
  readonly id: string
  readonly user: { readonly id: string; readonly email: string }
  readonly role: { readonly id: string; readonly name: string }
}

let server: TestServer.TestServer
let path: string
beforeAll(async () => {
  server = await TestServer.start()
  path = `/tenants/${(await server.makeTenant()).tenantId}/members`
})
afterAll(() => server.close())

const add = (email: string, role: object) => server.post(path, { json: { user: { email }, role } })

describe("members", () => {
  it("add with e-mail and role id or name → 201 with the member", async () => {
    const response = await add("Ada@Example.com", { id: "role_file_writer" })
    const member = await json<Member>(response)
    expect(response.status).toBe(201)
    expect(member).toMatchObject({
      id: expect.stringMatching(/^mem_/),
      user: { id: expect.stringMatching(/^acc_/), email: "Ada@Example.com" },
      role: { id: "role_file_writer", name: "File Writer" }
    })
    expect(response.headers.get("location")).toBe(`/api/v1${path}/${member.id}`)
    expect(await json(await server.get(`${path}/${member.id}`))).toEqual(member)
    const named = await json<Member>(await add("b@example.com", { name: "Bucket Reader" }))
    expect(named.role.id).toBe("role_bucket_reader")
  })

  it("add the same e-mail again → 409 with existingId", async () => {
    const { id } = await json<Member>(await add("once@example.com", { id: "role_admin" }))
    const again = await expectProblem(await add("ONCE@example.com", { id: "role_admin" }), 409, "member_exists")
    expect(again.existingId).toBe(id)
  })

  it("invalid e-mail or unknown role → 400", async () => {
    const wrong = await server.post(path, { json: { user: { email: "no-address" }, role: {} } })
    expect(pointers(await expectProblem(wrong, 400, "invalid_request"))).toEqual(["/user/email"])
    for (const role of [{ id: "role_king" }, { name: "King" }, {}, { id: "role_admin", name: "File Reader" }]) {
      const response = await expectProblem(await add("c@example.com", role), 400, "invalid_request")
      expect(pointers(response)).toEqual([expect.stringMatching(/^\/role\/(?:id|name)$/)])
    }
  })

  it("role changed or member removed → applies to the next request", async () => {
    const { tenantId } = await server.makeTenant()
    const key = await server.makeToken(tenantId, "File Reader")
    const members = `/tenants/${tenantId}/members`
    const { items } = await json<{ items: ReadonlyArray<Member> }>(await server.get(members))
    const id = items.find(({ role }) => role.id === "role_file_reader")?.id
    expect((await server.get(`/tenants/${tenantId}/buckets`, { key })).status).toBe(403)
    const changed = await server.patch(`${members}/${id}`, { json: { role: { name: "Bucket Reader" } } })
    expect([changed.status, (await json<Member>(changed)).role.id]).toEqual([200, "role_bucket_reader"])
    expect((await server.get(`/tenants/${tenantId}/buckets`, { key })).status).toBe(200)
    expect((await server.delete(`${members}/${id}`)).status).toBe(204)
    await expectProblem(await server.get(`/tenants/${tenantId}/buckets`, { key }), 401, "unauthenticated")
    await expectProblem(await server.get(`${members}/${id}`), 404, "not_found")
  })

  it("remove or demote the last Admin → 409", async () => {
    const { tenantId } = await server.makeTenant()
    const members = `/tenants/${tenantId}/members`
    const { items } = await json<{ items: ReadonlyArray<Member> }>(await server.get(members))
    const admin = `${members}/${items[0]?.id}`
    await expectProblem(await server.delete(admin), 409, "last_admin")
    await expectProblem(await server.patch(admin, { json: { role: { id: "role_file_reader" } } }), 409, "last_admin")
  })

  it("member of another tenant → 404", async () => {
    const { id } = await json<Member>(await add("d@example.com", { id: "role_admin" }))
    const { tenantId } = await server.makeTenant()
    await expectProblem(await server.get(`/tenants/${tenantId}/members/${id}`), 404, "not_found")
    await expectProblem(await server.delete(`/tenants/${tenantId}/members/${id}`), 404, "not_found")
  })
})
