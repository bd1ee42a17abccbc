/**
 * Iterators over all pages of lists, of the Promise API and of the client.
 */
import { beforeEach, describe, expect, it } from "vitest"
import { createClient } from "../../src/client/index.ts"
import * as Support from "./support.ts"

describe("iterators", () => {
  let setUp: Awaited<ReturnType<typeof Support.setUp>>
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  const names = ["a", "b", "c", "d", "e"]

  beforeEach(async () => {
    setUp = await Support.setUp()
    const { client } = setUp
    const tenant = await client.tenants.create({ name: "Beta", subdomain: "iterators" })
    const { id: bucketId } = await client.buckets.create({ tenantId: tenant.id, name: "b" })
    bucket = { tenantId: tenant.id, bucketId }
    for (const name of names) await client.files.reserve({ ...bucket, name })
  })

  /** A client that counts its requests. */
  const counting = () => {
    const requests: Array<string> = []
    const client = createClient({
      url: setUp.url,
      apiKey: setUp.key,
      fetch: (address, init) => {
        requests.push(String(address))
        return fetch(address, init)
      }
    })
    return { client, requests }
  }

  it("iterate: client, pages of two → all items, one request for each page", async () => {
    const { client, requests } = counting()
    const found: Array<string> = []
    for await (const { name } of client.files.iterate({ ...bucket, limit: 2 })) found.push(name)
    expect(found).toEqual(names)
    expect(requests).toHaveLength(3)
  })

  it("iterate: client, break in the first page → no further request; no request before the first item is asked for", async () => {
    const { client, requests } = counting()
    const iterator = client.files.iterate({ ...bucket, limit: 2 })
    expect(requests).toHaveLength(0)
    for await (const { name } of iterator) if (name === "b") break
    expect(requests).toHaveLength(1)
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it("iterate: client, aborted between two pages → rejects with aborted", async () => {
    const { client } = counting()
    const controller = new AbortController()
    const found: Array<string> = []
    const reading = async () => {
      for await (const { name } of client.files.iterate({ ...bucket, limit: 2 }, { signal: controller.signal })) {
        found.push(name)
        if (name === "b") controller.abort()
      }
    }
    await expect(reading()).rejects.toMatchObject({ code: "aborted" })
    expect(found).toEqual(["a", "b"])
  })

  it("iterate: Promise API, other lists, a list without input → all items", async () => {
    const { client, holdfast } = setUp
    const actor = holdfast.system()
    const inLibrary: Array<string> = []
    for await (const { createdAt, name } of holdfast.files.iterate(actor, { ...bucket, limit: 2 })) {
      expect(createdAt).toBeInstanceOf(Date)
      inLibrary.push(name)
    }
    expect(inLibrary).toEqual(names)
    let events = 0
    for await (const event of client.events.iterate({ tenantId: bucket.tenantId, limit: 2 })) {
      if (event.action === "file.created") events++
    }
    expect(events).toBe(names.length)
    const tenants: Array<string> = []
    for await (const { id } of client.tenants.iterate()) tenants.push(id)
    expect(tenants).toContain(bucket.tenantId)
    for await (const invitation of client.memberships.iterateInvitations()) expect(invitation).toBe(undefined)
  })
})
