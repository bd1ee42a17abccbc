/**
 * Reads that are answered without the router, beside the same reads by the router.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"

describe("reads without the router", () => {
  let server: TestServer.TestServer
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let file: string
  let etag: string

  beforeAll(async () => {
    server = await TestServer.start()
    bucket = await server.makeBucket()
    file = (
      await server.makeFile(bucket, "0123456789", {
        metadata: { ä: "\u2028 😀" },
        headers: [{ name: "Cache-Control", value: "max-age=60" }]
      })
    ).path
    etag = (await server.head(`${file}/view`)).headers.get("etag") ?? ""
  })
  afterAll(() => server.close())

  const get = async (path: string, headers: Record<string, string> = {}, key = server.rootKey) => {
    const before = server.routed()
    const response = await server.get(path, { headers: { "x-request-id": "same", ...headers }, key })
    const { date: _, ...others } = Object.fromEntries(response.headers)
    return { routed: server.routed() - before, status: response.status, headers: others, body: await response.text() }
  }

  const answered: ReadonlyArray<readonly [name: string, path: string, headers?: Record<string, string>]> = [
    ["view", "/view"],
    ["download", "/download"],
    ["range", "/view", { range: "bytes=2-4" }],
    ["If-None-Match holds", "/view", { "if-none-match": "etag" }],
    ["record", ""],
    ["record, Accept: */*", "", { accept: "*/*" }]
  ]
  for (const [name, suffix, headers = {}] of answered) {
    it(`${name} → the answer of the router, without it`, async () => {
      const sent = "if-none-match" in headers ? { "if-none-match": etag } : headers
      // The router ignores a parameter that no operation has.
      const { routed, ...direct } = await get(file + suffix, sent)
      const { routed: byRouter, ...expected } = await get(`${file}${suffix}?x=`, sent)
      assert.deepStrictEqual([routed, byRouter], [0, 1])
      assert.deepStrictEqual(direct, expected)
    })
  }

  const lists = [
    "",
    "?limit=2",
    "?limit=1000&path=%2Fa%2F",
    "?path=/a",
    "?path=/none/&recursive=true",
    "?recursive=1&limit=1",
    "?recursive=0&path=%2F%C3%A4%2F",
    "?limit=1&cursor=CURSOR"
  ]
  for (const query of lists) {
    it(`list${query} → the answer of the router, without it`, async () => {
      const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
      for (const [name, folder] of [
        ["1", "/"],
        ["2", "/a/"],
        ["3", "/ä/b/"]
      ]) {
        await server.post(path, { json: { name, path: folder } })
      }
      const first = (await (await server.get(`${path}?limit=1`)).json()) as { nextCursor: string }
      const sent = query.replace("CURSOR", first.nextCursor)
      const { routed, ...direct } = await get(path + sent)
      const { routed: byRouter, ...expected } = await get(`${path}${sent}${sent === "" ? "?" : "&"}x=`)
      assert.deepStrictEqual([routed, byRouter], [0, 1])
      assert.deepStrictEqual(direct, expected)
      assert.strictEqual(direct.status, 200)
    })
  }

  const leftLists: ReadonlyArray<readonly [query: string, status: number, headers?: Record<string, string>]> = [
    ["?limit=0", 400],
    ["?limit=1001", 400],
    ["?limit=1e1", 200],
    ["?limit=1&limit=2", 400],
    ["?cursor=none", 400],
    ["?path=%2Fa%00", 400],
    ["?path=%2F%C3", 400],
    ["?path=%", 200],
    ["?recursive=maybe", 400],
    ["?recursive", 400],
    ["?patha", 200],
    ["?constructor=1", 200],
    ["?state=READY", 200],
    ["?apiKey=hf_other", 400],
    ["", 406, { accept: "text/xml" }]
  ]
  for (const [query, status, headers = {}] of leftLists) {
    it(`list${query} ${JSON.stringify(headers)} → ${status} by the router`, async () => {
      const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
      const response = await get(path + query, headers)
      assert.deepStrictEqual([response.status, response.routed], [status, 1], response.body)
    })
  }

  it("list: unknown bucket → 404; key of another tenant → 403; removed key → 401", async () => {
    const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const unknown = path.replace(bucket.bucketId, `${bucket.bucketId.slice(0, -12)}000000000000`)
    assert.deepInclude(await get(unknown), { status: 404, routed: 1 })
    const other = await server.makeTenant()
    assert.deepInclude(await get(path, {}, await server.makeToken(other.tenantId, "Admin")), { status: 403, routed: 1 })
    const reader = await server.makeToken(bucket.tenantId, "File Reader")
    assert.deepInclude(await get(path, {}, reader), { status: 200, routed: 0 })
    const tokens = `/tenants/${bucket.tenantId}/tokens`
    const { items } = (await (await server.get(tokens)).json()) as { items: ReadonlyArray<{ id: string }> }
    for (const { id } of items) await server.delete(`${tokens}/${id}`)
    assert.deepInclude(await get(path, {}, reader), { status: 401, routed: 1 })
  })

  const left: ReadonlyArray<
    readonly [name: string, path: (file: string) => string, status: number, Record<string, string>?]
  > = [
    ["unknown file", (path) => `${path.slice(0, -12)}000000000000/view`, 404],
    ["unsatisfiable range", (path) => `${path}/view`, 416, { range: "bytes=10-" }],
    ["failed precondition", (path) => `${path}/view`, 412, { "if-match": '"x"' }],
    ["two keys", (path) => `${path}/view?apiKey=hf_other`, 400],
    ["other path", (path) => `${path}/view/`, 404],
    ["record as XML", (path) => path, 406, { accept: "text/xml" }],
    ["record with its size", (path) => `${path}?expands=SIZE`, 200]
  ]
  for (const [name, path, status, headers = {}] of left) {
    it(`${name} → ${status} by the router`, async () => {
      const response = await get(path(file), headers)
      assert.deepStrictEqual([response.status, response.routed], [status, 1])
    })
  }

  it("keys: unknown → 401, of another tenant → 403, of a reader → 200, removed → 401", async () => {
    assert.deepInclude(await get(`${file}/view`, {}, `hf_${"A".repeat(49)}`), { status: 401, routed: 1 })
    const other = await server.makeTenant()
    const strange = await server.makeToken(other.tenantId, "Admin")
    assert.deepInclude(await get(`${file}/view`, {}, strange), { status: 403, routed: 1 })
    const reader = await server.makeToken(bucket.tenantId, "File Reader")
    assert.deepInclude(await get(`${file}/view`, {}, reader), { status: 200, routed: 0 })
    const tokens = `/tenants/${bucket.tenantId}/tokens`
    const { items } = (await (await server.get(tokens)).json()) as { items: ReadonlyArray<{ id: string }> }
    for (const { id } of items) await server.delete(`${tokens}/${id}`)
    assert.deepInclude(await get(`${file}/view`, {}, reader), { status: 401, routed: 1 })
    assert.deepInclude(await get(file, {}, reader), { status: 401, routed: 1 })
  })

  it("key for the pages of other origins → 403 by the router", async () => {
    const members = await server.get(`/tenants/${bucket.tenantId}/members`)
    const [member] = ((await members.json()) as { items: ReadonlyArray<{ id: string }> }).items
    const token = await server.post(`/tenants/${bucket.tenantId}/tokens`, {
      json: { name: "page", member: { id: member?.id }, allowedOrigins: ["https://app.example.com"] }
    })
    const { key } = (await token.json()) as { key: string }
    for (const path of [file, `${file}/view`]) {
      const origin = "https://app.example.com"
      assert.deepInclude(await get(path, { origin }, key), { status: 200, routed: 0 })
      assert.deepInclude(await get(path, { referer: `${origin}/page` }, key), { status: 200, routed: 0 })
      assert.deepInclude(await get(path, { origin: "https://other.example" }, key), { status: 403, routed: 1 })
      assert.deepInclude(await get(path, {}, key), { status: 403, routed: 1 })
    }
  })

  const link = async (input: object, path = file): Promise<string> => {
    const answer = await server.post(`${path}/links`, { json: { expiresIn: 60, ...input } })
    const { url } = (await answer.json()) as { url: string }
    return url.replace(/^.*?(?=\/tenants\/)/, "")
  }
  const follow = async (path: string, headers: Record<string, string> = {}) => {
    const before = server.routed()
    const answer = await fetch(`${server.url}/api/v1${path}`, { headers: { "x-request-id": "same", ...headers } })
    const { date: _, ...others } = Object.fromEntries(answer.headers)
    return { routed: server.routed() - before, status: answer.status, headers: others, body: await answer.text() }
  }

  it("link: view, download with a name, range → the answer of the router, without it", async () => {
    for (const [input, headers] of [
      [{}, {}],
      [{ may: "download", name: "ä.txt" }, {}],
      [{ version: 1 }, { range: "bytes=2-4" }]
    ] as const) {
      const path = await link(input)
      const { routed, ...direct } = await follow(path, headers)
      const { routed: byRouter, ...expected } = await follow(`${path}&x=`, headers)
      assert.deepStrictEqual([routed, byRouter], [0, 1])
      assert.deepStrictEqual(direct, expected)
      assert.include([200, 206], direct.status)
    }
  })

  it("link: other file, other action, record, other version, changed, parent removed → refused by the router", async () => {
    const path = await link({})
    const { path: other } = await server.makeFile(bucket, "other", { name: "other.txt" })
    const [, query = ""] = path.split("?")
    assert.deepInclude(await follow(`${other}/view?${query}`), { status: 401, routed: 1 })
    assert.deepInclude(await follow(`${file}/download?${query}`), { status: 401, routed: 1 })
    assert.deepInclude(await follow(`${file}?${query}`), { status: 401, routed: 1 })
    assert.deepInclude(await follow(path.slice(0, -2)), { status: 401, routed: 1 })
    assert.deepInclude(await follow(path, { "x-api-key": server.rootKey }), { status: 400, routed: 1 })
    assert.deepInclude(await follow(await link({ version: 9 })), { status: 404, routed: 1 })
    const reader = await server.makeToken(bucket.tenantId, "File Reader")
    const answer = await server.post(`${file}/links`, { json: { expiresIn: 60 }, key: reader })
    const url = ((await answer.json()) as { url: string }).url.replace(/^.*?(?=\/tenants\/)/, "")
    assert.deepInclude(await follow(url), { status: 200, routed: 0 })
    const tokens = `/tenants/${bucket.tenantId}/tokens`
    const { items } = (await (await server.get(tokens)).json()) as { items: ReadonlyArray<{ id: string }> }
    for (const { id } of items) await server.delete(`${tokens}/${id}`)
    assert.deepInclude(await follow(url), { status: 401, routed: 1 })
  })

  it("reupload → the new content at once; delete → 404", async () => {
    const { path } = await server.makeFile(bucket, "old", { name: "changing.txt" })
    for (const text of ["old", "new", "newer"]) {
      if (text !== "old") await (await server.post(`${path}/reupload`, { body: text })).text()
      for (const _ of [1, 2, 3]) {
        assert.strictEqual((await get(`${path}/view`)).body, text)
        assert.include((await get(path)).body, `"version":${["old", "new", "newer"].indexOf(text) + 1}`)
      }
    }
    await server.delete(path)
    assert.strictEqual((await get(`${path}/view`)).status, 404)
    assert.strictEqual((await get(path)).status, 404)
  })
})
