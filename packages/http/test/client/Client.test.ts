import * as HttpApi from "effect/http-api/HttpApi"
import { describe, expect, it } from "vitest"
import { type ClientErrorCode, createClient, HoldfastError } from "../../src/client/index.ts"
import { Api } from "../../src/contract/Api.ts"
import * as OpenApiDocument from "../../src/contract/OpenApiDocument.ts"
import * as Support from "./support.ts"

const failure = async (call: Promise<unknown>): Promise<HoldfastError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason
  )
  if (!(error instanceof HoldfastError)) throw new Error("expected a HoldfastError", { cause: error })
  return error
}

it("client: life of every resource → the records of the service", async () => {
  const { client } = await Support.setUp()
  const tenant = await client.tenants.create({ name: "Beta", subdomain: "beta" })
  const inTenant = { tenantId: tenant.id }
  expect((await client.tenants.update({ ...inTenant, name: "Gamma" })).name).toBe("Gamma")
  expect((await client.tenants.list({ limit: 1 })).items).toHaveLength(1)
  expect((await client.tenants.get(inTenant)).subdomain).toBe("beta")
  const [role] = (await client.roles(inTenant)).items
  expect(role?.id).toBe((await client.roles()).items[0]?.id)

  const member = await client.members.add({
    ...inTenant,
    user: { email: "a@example.com" },
    role: { name: "File Reader" }
  })
  const memberRef = { ...inTenant, memberId: member.id }
  expect((await client.members.update({ ...memberRef, role: { id: "role_file_writer" } })).role.id).toBe(
    "role_file_writer"
  )
  expect((await client.members.list(inTenant)).items).toHaveLength(2)
  expect((await client.members.get(memberRef)).user.email).toBe("a@example.com")

  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const token = await client.tokens.create({ ...inTenant, name: "ci", member: { id: member.id }, expiresAt })
  const tokenRef = { ...inTenant, tokenId: token.id }
  expect((await client.tokens.get(tokenRef)).expiresAt).toBe(expiresAt)
  expect((await client.tokens.list(inTenant)).items).toHaveLength(1)

  const bucket = await client.buckets.create({ ...inTenant, name: "b" })
  const inBucket = { ...inTenant, bucketId: bucket.id }
  expect((await client.buckets.update({ ...inBucket, name: "c" })).name).toBe("c")
  expect((await client.buckets.get(inBucket)).name).toBe("c")
  expect((await client.buckets.list(inTenant)).items).toHaveLength(1)

  const reserved = await client.files.reserve({ ...inBucket, name: "ä & b.txt", path: "/x/", alias: "one" })
  const fileRef = { ...inBucket, fileId: reserved.id }
  await client.files.reupload({ ...fileRef, content: "Hello" })
  expect((await client.files.update({ ...fileRef, metadata: { a: 1 } })).metadata).toEqual({ a: 1 })
  const listed = await client.files.list({ ...inBucket, recursive: true, expands: ["SIZE", "TYPE"] })
  expect(listed.items.map(({ expands }) => expands)).toEqual([
    { size: { bytes: 5, human: "5 B" }, type: { type: "TEXT" } }
  ])
  expect((await client.files.get({ ...inBucket, fileId: "@one" })).id).toBe(reserved.id)
  await client.headers.set({ ...fileRef, name: "X-One", value: "1" })
  await client.headers.setAll({ ...fileRef, bulk: [{ name: "cache-control", value: "no-cache" }] })
  expect((await client.headers.list(fileRef)).items).toHaveLength(2)
  await client.headers.remove({ ...fileRef, name: "x-one" })

  const download = await client.files.download(fileRef)
  expect(download.response().headers.get("cache-control")).toBe("private, no-cache")
  expect([download.length, download.contentType, await download.text()]).toEqual([
    5,
    "text/plain; charset=utf-8",
    "Hello"
  ])

  await client.files.remove(fileRef)
  await client.tokens.revoke(tokenRef)
  await client.members.remove({ ...memberRef, created: "end" })
  await client.buckets.remove({ ...inBucket, force: true })
  await client.tenants.remove(inTenant)
  expect((await failure(client.tenants.get(inTenant))).code).toBe("forbidden")
})

describe("client: every method is called", () => {
  const ids = [
    "tenantId",
    "bucketId",
    "fileId",
    "memberId",
    "tokenId",
    "mirrorId",
    "webhookId",
    "deliveryId",
    "jobId",
    "shareId",
    "captionsId",
    "name"
  ]
  const query = ["limit", "cursor", "force", "path", "recursive", "state", "type", "expands", "created"]
  const eventQuery = ["accountId", "action", "outcome", "targetId", "from", "to", "order", "after"]
  const player = ["controls", "autoplay", "muted", "repeat", "width", "height", "seek", "speed"]
  /** Has all fields of all inputs. */
  const input = {
    ...Object.fromEntries([...query, ...eventQuery, ...player].map((name) => [name, "x"])),
    ...Object.fromEntries(ids.map((name) => [name, `:${name}`])),
    content: "c",
    bulk: []
  }

  /** Calls every method. Returns the names of the query parameters by method and path of the request. */
  const callAll = async () => {
    const seen = new Map<string, ReadonlyArray<string>>()
    const client = createClient({
      url: "http://host",
      apiKey: "k",
      fetch: async (address, init) => {
        const url = new URL(String(address))
        seen.set(`${init?.method} ${decodeURIComponent(url.pathname)}`, [...url.searchParams.keys()].toSorted())
        return new Response('{ "embed": "" }')
      }
    })
    await client.tenants.list()
    for (const format of ["hls", "dash"]) {
      for (const resource of Object.values(client)) {
        for (const method of Object.values<(input: never) => unknown>(resource)) {
          await method({ ...input, format } as never)
        }
      }
    }
    const stream = { tenantId: ":tenantId", bucketId: ":bucketId", fileId: ":fileId", format: "hls" } as const
    await client.streams.read({ ...stream, name: ":rendition/:name" })
    await client.me()
    await client.roles()
    await client.roles(stream)
    return seen
  }

  it("→ the requests are all operations of the contract", async () => {
    const contract = new Set<string>()
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint: { method, path } }) => contract.add(`${method} ${path.replace(/\/$/, "")}`)
    })
    // Upload links and programs without the client use it; the client sends forms.
    contract.delete("PUT /api/v1/tenants/:tenantId/buckets/:bucketId/files/upload")
    // `uploadResumable` and clients of tus use them.
    for (const operation of contract) if (operation.includes("/files/uploads")) contract.delete(operation)
    expect([...(await callAll()).keys()].toSorted()).toEqual([...contract].toSorted())
  })

  it("→ GET and DELETE have the query parameters of the contract", async () => {
    const { paths } = OpenApiDocument.make()
    const contract = new Map<string, ReadonlyArray<string>>(
      Object.entries(paths).flatMap(([path, item]) =>
        (["get", "delete"] as const).map((method) => {
          const parameters = item[method]?.parameters?.filter((parameter) => parameter.in === "query") ?? []
          const names = parameters.map(({ name }) => name).filter((name) => name !== "apiKey")
          return [`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, names.toSorted()]
        })
      )
    )
    for (const [request, names] of await callAll()) {
      if (/^(?:GET|DELETE) /.test(request)) expect([request, names]).toEqual([request, contract.get(request)])
    }
  })
})

it("client: refused, unreachable, aborted → HoldfastError with the code and its fields", async () => {
  const { client, ref, url } = await Support.setUp()
  const code = async (call: Promise<unknown>): Promise<ClientErrorCode> => (await failure(call)).code
  const file = await client.files.reserve({ ...ref, name: "a" })

  const exists = await failure(client.files.reserve({ ...ref, name: "a" }))
  expect([exists.code, exists.status, exists.existingId]).toEqual(["file_exists", 409, file.id])
  expect(exists.requestId).toMatch(/^req_/)
  const invalid = await failure(client.files.reserve({ ...ref, name: "", alias: "" }))
  expect(invalid.errors.map(({ pointer }) => pointer).toSorted()).toEqual(["/alias", "/name"])
  expect(await code(client.files.read({ ...ref, fileId: file.id }))).toBe("content_not_uploaded")
  expect(await code(client.files.get({ ...ref, fileId: ".." }))).toBe("invalid_request")
  expect(await code(createClient({ url, apiKey: "hf_none" }).me())).toBe("unauthenticated")
  expect(await code(createClient({ url, apiKey: async () => undefined }).me())).toBe("unauthenticated")
  expect(await code(createClient({ url: "http://127.0.0.1:1" }).me())).toBe("network_error")
  for (const url of ["127.0.0.1:8080", "localhost:8080", "/store", "ftp://host"]) {
    const message = `The url must be an http or https URL, such as "http://127.0.0.1:8080", and is "${url}".`
    await expect(createClient({ url }).me()).rejects.toMatchObject({ code: "invalid_request", message })
  }
  expect(await createClient({ url: "/store", fetch: async (url) => Response.json({ url }) }).me()).toEqual({
    url: "/store/api/v1/me"
  })
  const proxy = createClient({ url, fetch: async () => new Response("<h1>Bad Gateway", { status: 502 }) })
  expect(await failure(proxy.me())).toMatchObject({ code: "unexpected_answer", status: 502 })
  const busy = createClient({
    url,
    fetch: async () =>
      Response.json({ code: "unavailable", detail: "d" }, { status: 503, headers: { "retry-after": "2" } })
  })
  expect(await failure(busy.me())).toMatchObject({ code: "unavailable", retryAfter: 2, message: "d" })
  const reason = new Error("enough")
  const aborted = await failure(client.me({ signal: AbortSignal.abort(reason) }))
  expect([aborted.code, aborted.cause]).toEqual(["aborted", reason])
})
