import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, expect, it } from "vitest"
import { Api } from "../../src/contract/Api.ts"
import * as TestServer from "../support/TestServer.ts"

let server: TestServer.TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.close())

/** The typed client that Effect derives from the contract, with a key. */
const client = (key: string) =>
  HttpApiClient.make(Api, {
    baseUrl: server.url,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(key))
  }).pipe(Effect.provide(FetchHttpClient.layer))

it("typed client: upload, reupload, list, view, remove → decoded records and contents", async () => {
  const program = Effect.gen(function* () {
    const api = yield* client(server.rootKey)
    const { body: tenant } = yield* api.tenants.create({ payload: { name: "Acme", subdomain: "client" } })
    const params = { tenantId: tenant.id }
    const { body: bucket, headers } = yield* api.buckets.create({ params, payload: { name: "b" } })
    expect(headers.location).toContain(bucket.id)
    const inBucket = { ...params, bucketId: bucket.id }

    const payload = new FormData()
    payload.append("body", JSON.stringify({ name: "a.txt" }))
    payload.append("file", new Blob(["Hello"]))
    const { body: file } = yield* api.contents.upload({ params: inBucket, query: {}, headers: {}, payload })
    expect(file.createdAt.epochMilliseconds).toBeGreaterThan(0)
    const ofFile = { ...inBucket, fileId: file.id }

    const again = yield* api.contents.reupload({
      params: ofFile,
      headers: {},
      payload: Stream.make(Buffer.from("World"))
    })
    expect(again.version).toBe(2)
    const page = yield* api.files.list({ params: inBucket, query: { expands: ["SIZE"], limit: 10, recursive: true } })
    expect(page.items.map(({ expands, name }) => [name, expands?.size?.bytes])).toEqual([["a.txt", 5]])

    const view = yield* api.reading.view({ params: ofFile, headers: {} })
    expect(view?.headers.etag).toBe(again.etag)
    const part = yield* api.reading.view({ params: ofFile, headers: { range: "bytes=0-1" } })
    expect(part !== undefined && part.body instanceof Uint8Array && Buffer.from(part.body).toString()).toBe("Wo")
    yield* api.files.remove({ params: ofFile, headers: {} })
    return yield* Effect.flip(api.files.get({ params: ofFile, query: {} }))
  })
  const error = await Effect.runPromise(program)
  expect(error).toMatchObject({ _tag: "not_found", code: "not_found", status: 404 })
})

it("typed client: problem responses → tagged errors", async () => {
  const { bucketId, tenantId } = await server.makeBucket()
  const program = Effect.gen(function* () {
    const api = yield* client(server.rootKey)
    const params = { tenantId, bucketId }
    const first = yield* api.files.reserve({ params, payload: { name: "a.txt" } })
    const existing = yield* api.files.reserve({ params, payload: { name: "a.txt" } }).pipe(
      Effect.as(undefined),
      Effect.catchTag("file_exists", ({ existingId }) => Effect.succeed(existingId))
    )
    expect(existing).toBe(first.body.id)
    const stranger = yield* client("hf_nonsense")
    return yield* Effect.flip(stranger.identity.me())
  })
  expect(await Effect.runPromise(program)).toMatchObject({ _tag: "unauthenticated", requestId: expect.any(String) })
})
