/**
 * Rights that end while a content arrives: the upload changes nothing.
 */
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import * as Http from "node:http"
import { text } from "node:stream/consumers"
import { beforeAll, expect, it } from "vitest"
import { describeEach } from "../support/EachDatabase.ts"
import { expectProblem, json } from "../support/Problems.ts"

/** Larger than a content whose bytes are awaited before anything of it is stored. */
const content = Buffer.alloc(1024 * 1024, "content")

describeEach("rights that end during an upload", (current) => {
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let tenant: string
  let base: string
  beforeAll(async () => {
    bucket = await current().makeBucket()
    tenant = `/tenants/${bucket.tenantId}`
    base = `${tenant}/buckets/${bucket.bucketId}`
  })

  /** Creates a File Writer with a token. */
  const makeWriter = async () => {
    const user = { email: `${crypto.randomUUID()}@example.com` }
    const added = await current().post(`${tenant}/members`, { json: { user, role: { name: "File Writer" } } })
    const { id: memberId } = await json<{ id: string }>(added)
    const created = await current().post(`${tenant}/tokens`, { json: { name: "t", member: { id: memberId } } })
    const { id: tokenId, key } = await json<{ id: string; key: string }>(created)
    return { memberId, tokenId, key }
  }
  type Writer = Awaited<ReturnType<typeof makeWriter>>

  /** The number of contents that are stored but no file's. */
  const pendingCount = () =>
    current().run(
      BlobRepository.use(({ list }) =>
        Effect.map(list({ limit: 1000 }), (rows) => rows.filter(({ state }) => state === "PENDING").length)
      )
    )

  /** Begins an upload, runs `change` while it is on its way, then sends the rest. */
  const sendAround = async (path: string, key: string | null, change: () => Promise<Response>) => {
    const request = Http.request(new URL(path, current().url), {
      method: key === null ? "PUT" : "POST",
      headers: {
        "content-type": "application/octet-stream",
        "content-length": content.length,
        ...(key === null ? {} : { "x-api-key": key })
      }
    })
    const answered = once(request, "response") as Promise<[Http.IncomingMessage]>
    request.write(content.subarray(0, -1))
    await expect.poll(pendingCount).toBe(1)
    const changed = await change()
    expect(changed.ok, await changed.clone().text()).toBe(true)
    request.end(content.subarray(-1))
    const [response, body] = await answered.then(async ([found]) => [found, await text(found)] as const)
    const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
    return new Response(body, { status: response.statusCode ?? 0, headers })
  }

  const endings: ReadonlyArray<readonly [name: string, end: (writer: Writer) => Promise<Response>, status: number]> = [
    ["token revoked", ({ tokenId }) => current().delete(`${tenant}/tokens/${tokenId}`), 401],
    ["member removed", ({ memberId }) => current().delete(`${tenant}/members/${memberId}`), 401],
    [
      "member demoted",
      ({ memberId }) => current().patch(`${tenant}/members/${memberId}`, { json: { role: { name: "File Reader" } } }),
      403
    ]
  ]

  it.each(endings)("%s → content neither replaced nor created", async (_, end, status) => {
    const file = await current().makeFile(bucket, "former", { name: crypto.randomUUID() })
    const one = await makeWriter()
    const replaced = await sendAround(`/api/v1${base}/files/${file.id}/reupload`, one.key, () => end(one))
    await expectProblem(replaced, status, status === 401 ? "unauthenticated" : "forbidden")
    expect(await (await current().get(`${base}/files/${file.id}/view`)).text()).toBe("former")

    const other = await makeWriter()
    const link = await current().post(`${base}/upload-links`, {
      json: { name: "new.bin", maxBytes: content.length, expiresIn: 60 },
      key: other.key
    })
    const { url } = await json<{ url: string }>(link)
    const created = await sendAround(url, null, () => end(other))
    await expectProblem(created, status, status === 401 ? "unauthenticated" : "forbidden")
    const list = await json<{ items: ReadonlyArray<object> }>(
      await current().get(`${base}/files`, { query: { name: "new.bin" } })
    )
    expect(list.items).toEqual([])
    await expect.poll(pendingCount).toBe(0)
  })

  it("share removed → content not created", async () => {
    const created = await current().post(`${base}/shares`, { json: { name: "s", path: "/drop/", may: ["upload"] } })
    const { id, token } = await json<{ id: string; token: string }>(created)
    const path = `/api/v1${base}/files/upload?name=dropped.bin&apiKey=${token}`
    const answer = await sendAround(path, null, () => current().delete(`${base}/shares/${id}`))
    await expectProblem(answer, 401, "unauthenticated")
    const list = await json<{ items: ReadonlyArray<object> }>(
      await current().get(`${base}/files`, { query: { path: "/drop/" } })
    )
    expect(list.items).toEqual([])
  })

  it("no right changed → content replaced", async () => {
    const file = await current().makeFile(bucket, "former", { name: crypto.randomUUID() })
    const { key } = await makeWriter()
    const answer = await sendAround(`/api/v1${base}/files/${file.id}/reupload`, key, () => current().get("/me"))
    expect(answer.status).toBe(200)
    const stored = await (await current().get(`${base}/files/${file.id}/view`)).arrayBuffer()
    expect(content.equals(new Uint8Array(stored))).toBe(true)
  })
})
