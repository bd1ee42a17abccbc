import { createClient } from "@holdfast/http/client"
import { assert, beforeAll, it } from "vitest"
import * as EachDatabase from "../support/EachDatabase.ts"

interface Event {
  readonly id: string
  readonly at: string
  readonly action: string
  readonly actor: { readonly kind: string; readonly accountId: string | null; readonly tokenId: string | null }
  readonly target: { readonly type: string | null; readonly id: string | null; readonly name: string | null }
  readonly bucketId: string | null
  readonly clientAddress: string | null
  readonly requestId: string | null
}

/** A time after all changes of the test. */
const later = new Date(Date.now() + 3_600_000).toISOString()
const earlier = new Date(Date.now() - 3_600_000).toISOString()

EachDatabase.describeEach("events", (current) => {
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let fileId: string
  let token: string

  beforeAll(async () => {
    const server = current()
    bucket = await server.makeBucket()
    token = await server.makeToken(bucket.tenantId, "File Writer")
    fileId = (await server.makeFile(bucket)).id
    const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${fileId}`
    const body = { body: "other", headers: { "content-type": "text/plain", "x-request-id": "my-request" }, key: token }
    assert.strictEqual((await server.request("POST", `${path}/reupload`, body)).status, 200)
    assert.strictEqual((await server.request("DELETE", path, {})).status, 204)
  }, 60_000)

  const list = async (query: string) => {
    const answer = await current().get(`/tenants/${bucket.tenantId}/events?${query}`)
    assert.strictEqual(answer.status, 200)
    return (await answer.json()) as { readonly items: ReadonlyArray<Event>; readonly nextCursor: string | null }
  }

  const exportLines = async (query: string): Promise<ReadonlyArray<Event>> => {
    const answer = await current().get(`/tenants/${bucket.tenantId}/events/export?to=${later}&${query}`)
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.headers.get("content-type"), "application/x-ndjson")
    const text = await answer.text()
    return text.split("\n").flatMap((line): ReadonlyArray<Event> => (line === "" ? [] : [JSON.parse(line)]))
  }

  it("GET events: changes of a file → newest first, each with actor, request and address", async () => {
    const { items, nextCursor } = await list(`targetId=${fileId}`)
    assert.isNull(nextCursor)
    assert.deepStrictEqual(
      items.map(({ action }) => action),
      ["file.deleted", "content.replaced", "file.created"]
    )
    const [, replaced, created] = items
    assert.strictEqual(created?.actor.kind, "ACCOUNT")
    assert.match(created?.actor.tokenId ?? "", /^key_/)
    assert.strictEqual(replaced?.actor.kind, "TOKEN")
    assert.match(replaced?.actor.tokenId ?? "", /^tok_/)
    assert.strictEqual(replaced?.requestId, "my-request")
    assert.strictEqual(replaced?.target.type, "FILE")
    assert.strictEqual(replaced?.bucketId, bucket.bucketId)
    assert.match(replaced?.clientAddress ?? "", /127\.0\.0\.1$/)
    assert.isTrue((replaced?.at ?? "") > earlier && (replaced?.at ?? "") < later)
  })

  it("GET events: filters → only the matching events", async () => {
    const actions = async (query: string) => (await list(query)).items.map(({ action }) => action)
    const [replaced] = (await list("action=content.replaced")).items
    assert.deepStrictEqual(await actions(`tokenId=${replaced?.actor.tokenId}`), ["content.replaced"])
    assert.deepStrictEqual(await actions(`accountId=${replaced?.actor.accountId}`), ["content.replaced"])
    assert.deepStrictEqual(await actions("action=bucket."), ["bucket.created"])
    assert.deepStrictEqual(await actions(`bucketId=${bucket.bucketId}&action=file.`), ["file.deleted", "file.created"])
    assert.deepStrictEqual(await actions(`to=${earlier}`), [])
    assert.deepStrictEqual(await actions(`from=${later}`), [])
    assert.isAbove((await actions(`from=${earlier}`)).length, 5)
  })

  it("GET events: invalid time, cursor, order or limit → 400", async () => {
    for (const query of ["from=yesterday", "order=RANDOM", "limit=0", `action=${"a".repeat(300)}`]) {
      const answer = await current().get(`/tenants/${bucket.tenantId}/events?${query}`)
      assert.strictEqual(answer.status, 400, query)
    }
    const answer = await current().get(`/tenants/${bucket.tenantId}/events?cursor=x`)
    assert.strictEqual(((await answer.json()) as { code: string }).code, "invalid_cursor")
    assert.strictEqual((await current().get(`/tenants/${bucket.tenantId}/events/export?after=x`)).status, 400)
  })

  it("client: all pages in both orders → every event once", async () => {
    const client = createClient({ url: current().url, apiKey: current().rootKey })
    const pages = async (order: "NEWEST_FIRST" | "OLDEST_FIRST") => {
      const ids: Array<string> = []
      let cursor: string | undefined
      do {
        const page = await client.events.list({ tenantId: bucket.tenantId, order, limit: 3, cursor })
        ids.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return ids
    }
    const newest = await pages("NEWEST_FIRST")
    assert.deepStrictEqual(newest, newest.toSorted().toReversed())
    assert.deepStrictEqual(await pages("OLDEST_FIRST"), newest.toReversed())
    assert.strictEqual(new Set(newest).size, newest.length)
  })

  it("export: all, after an event, filtered → NDJSON, the oldest first; younger than a minute → only with `to`", async () => {
    const all = await exportLines("")
    assert.deepStrictEqual(all, [...(await list("limit=1000")).items].toReversed())
    assert.deepStrictEqual(await exportLines(`after=${all[2]?.id}`), all.slice(3))
    assert.deepStrictEqual(
      await exportLines("action=file."),
      all.filter(({ action }) => action.startsWith("file."))
    )
    const answer = await current().get(`/tenants/${bucket.tenantId}/events/export`)
    assert.strictEqual(await answer.text(), "")
    const client = createClient({ url: current().url, apiKey: current().rootKey })
    const stream = await client.events.export({ tenantId: bucket.tenantId, after: all.at(-2)?.id, to: later })
    assert.deepStrictEqual(JSON.parse(await new Response(stream).text()), all.at(-1))
  })
})
