import { createClient, HoldfastError } from "@holdfast/http/client"
import { expect, it } from "vitest"
import * as App from "../src/App.ts"
import { opened } from "./opened.ts"

it("knows the program's own users, and everybody else by a key", async () => {
  const holdfast = await opened()
  const app = App.make(holdfast, new Map([["secret", "ada@example.com"]]))
  const ask: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    request.headers.set("x-user-token", "secret")
    return app.fetch(request)
  }
  const client = createClient({ url: "http://host/storage", fetch: ask })
  const tenant = await client.tenants.create({ name: "Acme", subdomain: "acme" })
  const bucket = await client.buckets.create({ tenantId: tenant.id, name: "docs" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  const file = await client.files.upload({ ...ref, name: "a.txt", content: new Blob(["Hello"]).stream() })
  expect(await (await client.files.read({ ...ref, fileId: file.id })).text()).toBe("Hello")

  const stranger = createClient({
    url: "http://host/storage",
    fetch: async (input, init) => app.request(new Request(input, init))
  })
  const refused: unknown = await stranger.me().catch((error: unknown) => error)
  expect(refused instanceof HoldfastError && refused.code).toBe("unauthenticated")
})
