import { open } from "@holdfast/core"
import { createClient, HoldfastError } from "@holdfast/http/client"
import { inMemory } from "@holdfast/testing/InMemory"
import { expect, it, onTestFinished } from "vitest"
import * as App from "../src/App.ts"

it("app: request with a user token → acts as that account, without token or key → unauthenticated", async () => {
  const holdfast = await open(inMemory())
  onTestFinished(() => holdfast.close())
  const app = App.make(holdfast, new Map([["secret", "ada@example.com"]]))
  const fetchWithToken: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    request.headers.set("x-user-token", "secret")
    return app.fetch(request)
  }
  const client = createClient({ url: "http://host/storage", fetch: fetchWithToken })
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const bucket = await client.buckets.create({ tenantId: tenant.id, name: "docs" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  const file = await client.files.upload({ ...ref, name: "a.txt", content: new Blob(["Hello"]).stream() })
  expect(await (await client.files.read({ ...ref, fileId: file.id })).text()).toBe("Hello")

  const anonymous = createClient({
    url: "http://host/storage",
    fetch: async (input, init) => app.request(new Request(input, init))
  })
  const refused: unknown = await anonymous.me().catch((error: unknown) => error)
  expect(refused instanceof HoldfastError && refused.code).toBe("unauthenticated")
})
