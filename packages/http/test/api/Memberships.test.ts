import { beforeAll, expect, it } from "vitest"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"
import type * as TestServer from "../support/TestServer.ts"

interface Member {
  readonly id: string
  readonly user: { readonly id: string; readonly email: string }
  readonly role: { readonly name: string }
  readonly status: string
}

interface Items<A> {
  readonly items: ReadonlyArray<A>
}

EachDatabase.describeEach("memberships", (current) => {
  let server: TestServer.TestServer
  beforeAll(() => void (server = current()))

  let count = 0
  const newEmail = () => `member-${++count}@Example.com`

  const invite = async (tenantId: string, email: string, role = "File Reader") => {
    const body = { user: { email }, role: { name: role } }
    const response = await server.post(`/tenants/${tenantId}/members`, { json: body })
    expect(response.status).toBe(201)
    return json<Member>(response)
  }
  const invitations = async (key: string) =>
    (await json<Items<{ tenant: { id: string } }>>(await server.get("/me/invitations", { key }))).items
  const tenants = async (key: string) =>
    (await json<Items<{ id: string }>>(await server.get("/tenants", { key }))).items.map(({ id }) => id)
  const accept = (tenantId: string, key: string) => server.post(`/me/memberships/${tenantId}/accept`, { key })
  const leave = (tenantId: string, key: string, query = {}) =>
    server.delete(`/me/memberships/${tenantId}`, { key, query })

  it("invited account → the tenant is not in its list and answers 403 until the account accepts", async () => {
    const email = newEmail()
    const key = await server.makeAccountKey(email)
    const { tenantId } = await server.makeTenant()
    await invite(tenantId, email.toLowerCase(), "Bucket Reader")
    expect(await tenants(key)).toEqual([])
    await expectProblem(await server.get(`/tenants/${tenantId}`, { key }), 403, "forbidden")
    await expectProblem(await server.get(`/tenants/${tenantId}/buckets`, { key }), 403, "forbidden")
    expect(await invitations(key)).toEqual([
      {
        tenant: { id: tenantId, name: "Acme" },
        role: { id: "role_bucket_reader", name: "Bucket Reader" },
        createdAt: expect.any(String)
      }
    ])
    const accepted = await accept(tenantId, key)
    expect(accepted.status).toBe(200)
    expect(await json<Member>(accepted)).toMatchObject({ status: "ACTIVE", user: { email } })
    expect(await tenants(key)).toEqual([tenantId])
    expect(await invitations(key)).toEqual([])
    expect((await server.get(`/tenants/${tenantId}/buckets`, { key })).status).toBe(200)
    await expectProblem(await accept(tenantId, key), 404, "not_found")
  })

  it("invite known and unknown e-mail → the same answer, without spelling, id or time of the account", async () => {
    const { tenantId } = await server.makeTenant()
    const known = newEmail()
    const key = await server.makeAccountKey(known)
    const account = await json<{ user: { id: string } }>(await server.get("/me", { key }))
    const answers = [await invite(tenantId, known.toUpperCase()), await invite(tenantId, newEmail().toUpperCase())]
    for (const { user } of answers) {
      expect(user.email).toMatch(/^MEMBER-\d+@EXAMPLE\.COM$/)
      expect(user.id).toMatch(/^acc_/)
      expect(user.id > account.user.id).toBe(true)
    }
    const list = await json<Items<Member>>(await server.get(`/tenants/${tenantId}/members`))
    expect(list.items.slice(1)).toEqual(answers)
    const token = { name: "t", member: { id: answers[0]?.id } }
    const { key: ofMember } = await json<{ key: string }>(
      await server.post(`/tenants/${tenantId}/tokens`, { json: token })
    )
    const me = await json<{ user: object; role: object }>(await server.get("/me", { key: ofMember }))
    expect(me).toMatchObject({ user: answers[0]?.user, role: { name: "File Reader" } })
  })

  it("decline → the member is gone, and so is its token", async () => {
    const email = newEmail()
    const key = await server.makeAccountKey(email)
    const { tenantId } = await server.makeTenant()
    const member = await invite(tenantId, email)
    const token = await json<{ key: string }>(
      await server.post(`/tenants/${tenantId}/tokens`, { json: { name: "t", member: { id: member.id } } })
    )
    expect((await leave(tenantId, key)).status).toBe(204)
    await expectProblem(await server.get(`/tenants/${tenantId}/members/${member.id}`), 404, "not_found")
    await expectProblem(await server.get("/me", { key: token.key }), 401, "unauthenticated")
    await expectProblem(await leave(tenantId, key), 404, "not_found")
    expect(await invitations(key)).toEqual([])
  })

  it("leave → the tenant is gone from the list; the last Admin who accepted cannot leave", async () => {
    const email = newEmail()
    const key = await server.makeAccountKey(email)
    const { tenantId } = await server.makeTenant()
    await invite(tenantId, email, "Admin")
    await expectProblem(await leave(tenantId, server.rootKey), 409, "last_admin")
    expect((await accept(tenantId, key)).status).toBe(200)
    expect((await leave(tenantId, server.rootKey)).status).toBe(204)
    expect(await tenants(server.rootKey)).not.toContain(tenantId)
    await expectProblem(await leave(tenantId, key), 409, "last_admin")
  })

  it("leave as the creator of another member's token → 409; with created=end → that key is refused", async () => {
    const email = newEmail()
    const key = await server.makeAccountKey(email)
    const { tenantId } = await server.makeTenant()
    await invite(tenantId, email, "Admin")
    await accept(tenantId, key)
    const other = await invite(tenantId, newEmail())
    const token = await json<{ key: string }>(
      await server.post(`/tenants/${tenantId}/tokens`, { key, json: { name: "t", member: { id: other.id } } })
    )
    await expectProblem(await leave(tenantId, key), 409, "created_resources_remain")
    await expectProblem(await leave(tenantId, key, { created: "transfer" }), 400, "invalid_request")
    expect((await leave(tenantId, key, { created: "end" })).status).toBe(204)
    await expectProblem(await server.get("/me", { key: token.key }), 401, "unauthenticated")
  })

  it("unknown tenant, tenant without membership → the same 404; API token → 403", async () => {
    const { tenantId } = await server.makeTenant()
    const key = await server.makeAccountKey(newEmail())
    for (const id of [tenantId, "ten_01890a5d-ac96-774b-bcce-b302099a8057", "x"]) {
      for (const response of [await accept(id, key), await leave(id, key)]) {
        const { detail } = await expectProblem(response, 404, "not_found")
        expect(detail).toBe("There is no such membership.")
      }
    }
    const token = await server.makeToken(tenantId, "Admin")
    for (const response of [
      await server.get("/me/invitations", { key: token }),
      await accept(tenantId, token),
      await leave(tenantId, token)
    ]) {
      await expectProblem(response, 403, "forbidden")
    }
  })
})
