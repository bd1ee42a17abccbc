import { createClient } from "@holdfast/http/client"
import { expect, it } from "vitest"
import * as App from "../src/App.ts"
import { opened } from "./opened.ts"

it("serves the API beside its own routes", async () => {
  const holdfast = await opened()
  const { key } = await holdfast.keys.create(holdfast.system(), { email: "ada@example.com", name: "ada" })
  const app = await App.make(holdfast)
  const url = await app.listen({ port: 0, host: "127.0.0.1" })
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true })

  const client = createClient({ url: `${url}/storage`, apiKey: key })
  const tenant = await client.tenants.create({ name: "Acme", subdomain: "acme" })
  const bucket = await client.buckets.create({ tenantId: tenant.id, name: "docs" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  const file = await client.files.upload({ ...ref, name: "a.txt", content: "Hello" })
  const part = await client.files.read({ ...ref, fileId: file.id, range: { suffix: 2 } })
  expect(await part.text()).toBe("lo")

  const held = await fetch(client.files.url({ ...ref, fileId: file.id }), { headers: { "x-maintenance": "1" } })
  expect([held.status, await held.json()]).toEqual([503, { closed: true }])
  await app.close()
  await expect(holdfast.tenants.list(holdfast.system())).rejects.toMatchObject({ code: "closed" })
})
