import { assert, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as JsonNegotiation from "../../../src/handlers/support/JsonNegotiation.ts"
import * as NodeRequest from "../../../src/incoming/NodeRequest.ts"
import * as BodySource from "../../../src/transfer/upload/BodySource.ts"
import * as TestServer from "../../support/TestServer.ts"
import { connect, listen } from "../../transfer/support/NodeApp.ts"

/** Reads a body that has arrived as a whole, and uses the thread for longer than the budget of a turn. */
const handle = (tenant: string, bytes: number, handled: Array<string>) =>
  Effect.map(
    JsonNegotiation.readBytes(
      HttpServerRequest.fromWeb(
        new Request(`http://127.0.0.1/api/v1/tenants/${tenant}/buckets`, {
          method: "POST",
          body: new Uint8Array(bytes)
        })
      )
    ),
    () => {
      handled.push(tenant)
      const end = performance.now() + 5
      while (performance.now() < end);
    }
  )

it.live("ten large JSON bodies of one tenant, then one of another → it is among the first five", () =>
  Effect.gen(function* () {
    const handled: Array<string> = []
    const tenants = [...Array.from({ length: 10 }, () => "a"), "b"]
    yield* Effect.all(
      tenants.map((tenant) => handle(tenant, 128 * 1024, handled)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(handled, 11)
    assert.isBelow(handled.indexOf("b"), 5)
  })
)

/** Sends bodies to an app that parses them. Returns the sizes of the memory that each body has kept: its chunks and its bytes. */
const parseBodies = Effect.fnUntraced(function* (isSoleListener: boolean, bodies: ReadonlyArray<string>) {
  const kept: Array<number> = []
  const app = yield* listen((request) =>
    Effect.gen(function* () {
      const chunks: Array<Buffer> = []
      // Unlike `on`, it does not start the message.
      NodeRequest.find(request)?.message.prependListener("data", (chunk: Buffer) => chunks.push(chunk))
      const bytes = yield* JsonNegotiation.readBytes(request)
      const value = yield* JsonNegotiation.parse(bytes)
      kept.push([...chunks, bytes].reduce((sum, { byteLength }) => sum + byteLength, 0))
      return HttpServerResponse.text(JSON.stringify(value))
    }).pipe(Effect.provideService(BodySource.IsSoleListener, isSoleListener))
  )
  const client = yield* connect(app.port)
  for (const body of bodies) {
    client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`, body)
    const response = yield* Effect.promise(() => client.response())
    assert.strictEqual(response.body.toString(), body)
  }
  return kept
})

/** The JSON of a text, with this length. */
const jsonText = (length: number): string => `"${"x".repeat(length - 2)}"`

it.live("body of 1 MiB parsed → its memory is released at once, without the garbage collector", () =>
  Effect.gen(function* () {
    const [kept = 0, again = 0] = yield* parseBodies(true, [jsonText(1024 * 1024), jsonText(1024 * 1024)])
    // What is left are chunks that are too small to be marked.
    assert.isBelow(kept, 64 * 1024)
    assert.isBelow(again, 64 * 1024)
  })
)

it.live("host with other listeners → the memory of a body is not released", () =>
  Effect.gen(function* () {
    const [kept = 0] = yield* parseBodies(false, [jsonText(1024 * 1024)])
    assert.isAtLeast(kept, 2 * 1024 * 1024)
  })
)

it.live("large body with few values → parsed once; malformed, or with an array above its bound → 400", () =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => TestServer.start()),
      (server) => Effect.promise(() => server.close())
    )
    const bucket = yield* Effect.promise(() => server.makeBucket())
    const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const post = (body: string) =>
      Effect.promise(async () => {
        const response = await server.post(files, { body, headers: { "content-type": "application/json" } })
        return [response.status, await response.text()] as const
      })
    const text = "x".repeat(200_000)
    const body = `{"name":"${text}"}`
    const parse = vi.spyOn(JSON, "parse")
    yield* Effect.addFinalizer(() => Effect.sync(() => parse.mockRestore()))
    const [status, problem] = yield* post(body)
    assert.lengthOf(
      parse.mock.calls.filter(([parsed]) => parsed === body),
      1
    )
    assert.strictEqual(status, 400)
    assert.include(problem, "/name")
    assert.strictEqual((yield* post(body.slice(0, -1)))[0], 400)
    const [, excess] = yield* post(`{"name":"${text}","headers":[${"{},".repeat(64)}{}]}`)
    assert.include(excess, "at most 64 items")
  })
)
