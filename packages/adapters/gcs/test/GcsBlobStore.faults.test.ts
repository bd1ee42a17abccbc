import { assert, describe, it } from "@effect/vitest"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as RemoteStoreFaults from "@holdfast/testing/storage/RemoteStoreFaults"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Documents from "./support/Documents.ts"
import * as ScriptedGcs from "./support/ScriptedGcs.ts"

const key = BlobKeys.key(0)
const unit = 256 * 1024

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("base64")

RemoteStoreFaults.suite("GcsBlobStore", ScriptedGcs.protocol)

describe("GcsBlobStore: unexpected responses", () => {
  it.live.each([[{}], [{ "content-length": 4, "content-encoding": "gzip" }]])(
    "read: body with the headers %j → Internal",
    ([headers]) =>
      Effect.gen(function* () {
        const { store } = yield* ScriptedGcs.openStore(
          (_request, response) => void response.writeHead(200, headers).end("half")
        )
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.read(key)))).reason, "Internal")
      })
  )

  it.live.each(["not JSON", "[]", "null", '{"name":"x"}', '{"items":[{}]}', '{"items":7}'])(
    "response %s → Internal",
    (text) =>
      Effect.gen(function* () {
        const { store } = yield* ScriptedGcs.openStore((_request, response) => void response.writeHead(200).end(text))
        assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "Internal")
        assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(1, 10)))).reason, "Internal")
        if (text.includes("items")) {
          assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.list("")))).reason, "Internal")
        }
      })
  )

  it.live("stat: endless response → Internal, not read to its end", () =>
    Effect.gen(function* () {
      const { store } = yield* ScriptedGcs.openStore((_request, response) => {
        response.writeHead(200)
        const sendMore = () => void (response.destroyed || response.write(Buffer.alloc(1024 * 1024), sendMore))
        sendMore()
      })
      assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "Internal")
    })
  )

  it.live("bucket with requester pays → repeated once with the project, and always sent with it then", () =>
    Effect.gen(function* () {
      const message = "Bucket is requester pays bucket but no user project provided."
      const { requests, store } = yield* ScriptedGcs.openStore(
        (request, response) =>
          request.url.searchParams.get("userProject") === "payer"
            ? ScriptedGcs.sendJson(response, ScriptedGcs.resource(7))
            : ScriptedGcs.sendError(400, "required", message)(request, response),
        { projectId: "payer" }
      )
      yield* Effect.repeat(store.stat(key), { times: 1 })
      assert.deepStrictEqual(
        requests.map(({ url }) => url.searchParams.get("userProject")),
        [null, "payer", "payer"]
      )
    })
  )

  it.live("token endpoint down → Unavailable; refuses or sends no token → Internal, no request", () =>
    Effect.gen(function* () {
      const { endpoint, store: good } = yield* ScriptedGcs.openStore((request, response) => {
        const { pathname } = request.url
        if (pathname === "/down") ScriptedGcs.sendError(503, "")(request, response)
        else if (pathname === "/denied") {
          ScriptedGcs.sendJson(response, { error: "invalid_grant", error_description: "no" }, 400)
        } else if (pathname === "/invalid") {
          ScriptedGcs.sendJson(response, { access_token: "a\r\nb: c", expires_in: 3600 })
        } else ScriptedGcs.sendJson(response, ScriptedGcs.resource(7))
      })
      assert.deepStrictEqual(yield* good.stat(key), { size: 7 })
      for (const [path, reason] of [
        ["down", "Unavailable"],
        ["denied", "Internal"],
        ["invalid", "Internal"]
      ] as const) {
        const credentials = Documents.make(`${endpoint}/${path}`)
        const { requests, store } = yield* ScriptedGcs.openStore(
          (_request, response) => ScriptedGcs.sendJson(response, ScriptedGcs.resource(7)),
          { credentials }
        )
        assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, reason)
        assert.strictEqual(requests.length, 0)
      }
    })
  )
})

describe("GcsBlobStore: unexpected responses to an upload", () => {
  it.live.each([
    [9, undefined],
    [10, md5(Buffer.from("others"))]
  ] as const)(
    "put 10 bytes: service reports %i bytes with MD5 %s → Unavailable, its generation removed",
    ([size, reported]) =>
      Effect.gen(function* () {
        const { requests, store } = yield* ScriptedGcs.openStore(({ method }, response) =>
          method === "DELETE"
            ? void response.writeHead(204).end()
            : ScriptedGcs.sendJson(response, ScriptedGcs.resource(size, reported))
        )
        assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(5, 10)))).reason, "Unavailable")
        assert.deepStrictEqual(
          requests.map(({ method, url }) => [method, url.searchParams.get("ifGenerationMatch")]),
          [
            ["POST", null],
            ["DELETE", "17"]
          ]
        )
      })
  )

  it.live("put 10 bytes: service reports their MD5 → stored", () =>
    Effect.gen(function* () {
      const content = Generate.bytes(3, 10)
      const { requests, store } = yield* ScriptedGcs.openStore((_request, response) =>
        ScriptedGcs.sendJson(response, ScriptedGcs.resource(10, md5(content)))
      )
      assert.strictEqual((yield* store.put(key, Stream.make(content))).size, 10)
      assert.strictEqual(requests.length, 1)
    })
  )

  it.live("upload URL at another address → its query is sent to the service", () =>
    Effect.gen(function* () {
      const size = unit + 1
      const { requests, store } = yield* ScriptedGcs.openStore(
        ({ headers, method }, response) => {
          if (method === "POST") {
            response.writeHead(200, { location: "http://127.0.0.1:9/elsewhere?upload_id=u1&more=1" }).end()
          } else if (headers["content-range"] === `bytes 0-${unit - 1}/*`) {
            response.writeHead(308, { range: `bytes=0-${unit - 1}` }).end()
          } else ScriptedGcs.sendJson(response, ScriptedGcs.resource(size))
        },
        { chunkBytes: unit }
      )
      assert.strictEqual((yield* store.put(key, Generate.stream(7, size))).size, size)
      const paths = requests.map(({ url }) => `${url.pathname}${url.search}`)
      const path = "/upload/storage/v1/b/bucket/o?"
      assert.deepStrictEqual(paths, [
        `${path}uploadType=resumable`,
        `${path}upload_id=u1&more=1`,
        `${path}upload_id=u1&more=1`
      ])
    })
  )

  it.live.each([
    ["keeps nothing", {}],
    ["reports that it keeps more bytes than it was sent", { range: `bytes=0-${2 * unit - 1}` }]
  ] as const)("upload: service %s → Unavailable, cancelled", ([, headers]) =>
    Effect.gen(function* () {
      const { requests, store } = yield* ScriptedGcs.openStore(
        ({ method }, response) => {
          if (method === "POST") response.writeHead(200, { location: "http://service/?upload_id=u1" }).end()
          else if (method === "PUT") response.writeHead(308, headers).end()
          else response.writeHead(499).end()
        },
        { chunkBytes: unit, maxAttempts: 2 }
      )
      assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(8, unit + 1)))).reason, "Unavailable")
      assert.strictEqual(requests.at(-1)?.method, "DELETE")
      assert.isAtMost(requests.length, 4)
    })
  )
})
