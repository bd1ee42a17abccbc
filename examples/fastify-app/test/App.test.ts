import { open } from "@holdfast/core"
import { createClient } from "@holdfast/http/client"
import { inMemory } from "@holdfast/testing/InMemory"
import { expect, it, onTestFinished } from "vitest"
import * as App from "../src/App.ts"

it("app: own route, API, hook, close → each answers, Holdfast is closed", async () => {
  const holdfast = await open(inMemory())
  onTestFinished(() => holdfast.close())
  const { key: apiKey } = await holdfast.keys.create(holdfast.system(), { email: "ada@example.com", name: "ada" })
  const app = await App.make(holdfast)
  const origin = await app.listen({ port: 0, host: "127.0.0.1" })
  expect(await (await fetch(`${origin}/health`)).json()).toEqual({ ok: true })

  const url = `${origin}/storage`
  const client = createClient({ url, apiKey })
  const tenant = await client.tenants.create({ name: "Globex", subdomain: "globex" })
  const bucket = await client.buckets.create({ tenantId: tenant.id, name: "docs" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  const file = await client.files.upload({ ...ref, name: "a.txt", content: "Hello" })
  const part = await client.files.read({ ...ref, fileId: file.id, range: { suffix: 2 } })
  expect(await part.text()).toBe("lo")

  const refused = await fetch(client.files.url({ ...ref, fileId: file.id }), { headers: { "x-maintenance": "1" } })
  expect([refused.status, await refused.json()]).toEqual([503, { closed: true }])
  await app.close()
  await expect(holdfast.tenants.list(holdfast.system())).rejects.toMatchObject({ code: "closed" })
})
