import { expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"

it("tenants, buckets, tokens, usage: while a service runs → tables, or JSON lines, without keys", async () => {
  const service = await Process.serve()
  const dataDir = ["--data-dir", service.data]
  const key = (await Process.run(["keys", "create", "--email", "ci@example.com", ...dataDir])).stdout.trim()
  const api = Requests.make(`${service.url}/api/v1`, key)
  const create = async (path: string, json: object) =>
    (await (await api.post(path, { json })).json()) as {
      readonly id: string
      readonly key?: string
      readonly member?: { readonly id: string }
    }
  const tenant = await create("/tenants", { name: "Acme", subdomain: "acme" })
  const bucket = await create(`/tenants/${tenant.id}/buckets`, { name: "files" })
  const token = await create(`/tenants/${tenant.id}/tokens`, { name: "ci", member: { id: tenant.member?.id } })
  await create(`/tenants/${tenant.id}/buckets/${bucket.id}/files`, { name: "a.txt" })

  const run = async (...args: ReadonlyArray<string>) => {
    const { stderr, stdout } = await Process.run([...args, ...dataDir])
    expect(stderr).toBe("")
    return stdout
  }
  expect(await run("tenants")).toMatch(new RegExp(`^ID +SUBDOMAIN +NAME +CREATED\n${tenant.id} +acme +Acme +20`))
  expect(JSON.parse(await run("tenants", "--json"))).toMatchObject({ id: tenant.id, subdomain: "acme" })
  expect(await run("buckets", tenant.id)).toMatch(new RegExp(`\n${bucket.id} +files +none +none +20`))
  expect(JSON.parse(await run("buckets", tenant.id, "--json"))).toMatchObject({ id: bucket.id, maxBytes: null })
  const tokens = (await run("tokens", tenant.id)) + (await run("tokens", tenant.id, "--json"))
  expect(tokens).toMatch(new RegExp(`\n${token.id} +ci +hf_`))
  expect(token.key).toMatch(/^hf_/)
  expect(tokens).not.toContain(token.key)
  const usage = await run("usage", tenant.id)
  expect(usage).toMatch(new RegExp(`\n${bucket.id} +files +1 +0 +0 +0\n${tenant.id}: 1 files, 0 bytes of contents`))
  const [first = "", last = ""] = (await run("usage", tenant.id, "--json")).trim().split("\n")
  expect(JSON.parse(first)).toMatchObject({ bucketId: bucket.id, usage: { files: 1 } })
  expect(JSON.parse(last)).toMatchObject({ tenantId: tenant.id, usage: { files: 1, buckets: 1 } })

  const missing = await Process.run(["buckets", "ten_x", ...dataDir])
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("no such tenant")])
})
