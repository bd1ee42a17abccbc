import { type LogEntry, open } from "@holdfast/core"
import { inMemory } from "@holdfast/testing/InMemory"
import { expect, it, onTestFinished } from "vitest"
import { toWebHandler } from "../../src/index.ts"
import { expectProblem } from "../support/Problems.ts"

it("request fails in a mounted Holdfast → the option log of open gets the entry, with the id of the request", async () => {
  const entries: Array<LogEntry> = []
  const before = () => Promise.reject(new Error("the scanner does not answer"))
  const holdfast = await open({
    ...inMemory(),
    log: (entry) => void entries.push(entry),
    hooks: { onUpload: { before } }
  })
  onTestFinished(() => holdfast.close())
  const owner = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(owner, { name: "T", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(owner, { tenantId, name: "media" })
  const handler = toWebHandler(holdfast, { authenticate: () => owner })
  const url = `https://host.example/api/v1/tenants/${tenantId}/buckets/${bucketId}/files/upload`
  const body = new FormData()
  body.set("body", JSON.stringify({ name: "a.txt" }))
  body.set("file", new Blob(["text"]))
  const headers = { origin: "https://host.example", "sec-fetch-site": "same-origin" }
  const answer = await handler(new Request(url, { method: "POST", body, headers }))
  const requestId = answer.headers.get("x-request-id")
  await expectProblem(answer, 503, "hook_failed")
  expect(entries).toContainEqual(
    expect.objectContaining({
      error: expect.stringContaining("the scanner does not answer"),
      fields: expect.objectContaining({ requestId })
    })
  )
})
