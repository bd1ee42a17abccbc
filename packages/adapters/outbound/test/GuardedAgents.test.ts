import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { LookupAddress } from "node:dns"
import * as Http from "node:http"
import * as Https from "node:https"
import type { AddressInfo, LookupFunction, Socket } from "node:net"
import * as GuardedAgents from "../src/GuardedAgents.ts"

/** Starts a server on the loopback interface, which counts its connections; until the scope closes. */
const serve = Effect.gen(function* () {
  let connections = 0
  const server = yield* Effect.acquireRelease(
    Effect.callback<Http.Server>((resume) => {
      const server = Http.createServer((_request, response) => void response.end("private"))
      server.on("connection", () => connections++)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
})

const open = (allowPrivate: boolean, options?: GuardedAgents.Options) =>
  GuardedAgents.scoped({ allowPrivate, refusalTime: 50 }, options)

/** Makes a request, and returns the body of the response or the request's error. */
const request = (
  { http, https }: GuardedAgents.Agents,
  url: string,
  options: Http.RequestOptions = {},
  onSocket: (socket: Socket) => void = () => {}
) =>
  Effect.callback<string, Error>((resume) => {
    const collect = (response: Http.IncomingMessage) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString())))
    }
    const sent = url.startsWith("https:")
      ? Https.request(url, { agent: https, ...options }, collect)
      : Http.request(url, { agent: http, ...options }, collect)
    sent.on("socket", onSocket)
    sent.on("error", (error) => resume(Effect.fail(error)))
    sent.end()
  })

/** A lookup that returns one answer after the other and then repeats the last one, and the number of its calls. */
const resolver = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  let calls = 0
  const lookup: LookupFunction = (_host, options, done) => {
    const answer = answers[Math.min(calls++, answers.length - 1)] ?? []
    const all: Array<LookupAddress> = answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    setImmediate(() => (options.all ? done(null, all) : done(null, all[0]?.address ?? "", all[0]?.family)))
  }
  return { lookup, calls: () => calls }
}

/** Destroys a socket when its address is looked up, before it connects. */
const stopBeforeConnecting = (found: Array<string>) => (socket: Socket) =>
  void socket.on("lookup", (_error: Error | null, address: string) => {
    found.push(address)
    socket.destroy(new Error("stopped"))
  })

describe("GuardedAgents", () => {
  it.live.each(["127.0.0.1", "2130706433", "0x7f.1", "127.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "localhost"])(
    "host %s → refused without a connection",
    (host) =>
      Effect.gen(function* () {
        const { connections, port } = yield* serve
        const agents = yield* open(false)
        for (const scheme of ["http", "https"]) {
          const error = yield* Effect.flip(request(agents, `${scheme}://${host}:${port}/`))
          assert.instanceOf(error, GuardedAgents.AddressRefused)
          assert.isTrue(GuardedAgents.isRefused(error))
          assert.notInclude(JSON.stringify(error) + error.message, "at ")
        }
        assert.strictEqual(connections(), 0)
      })
  )

  it.live.each([
    ["a private address", ["10.0.0.1"]],
    ["a public and a private address", ["1.1.1.1", "127.0.0.1"]],
    ["a private and a public address", ["::1", "2606:4700::1111"]],
    ["no address", []]
  ] as const)("name with %s → refused", ([, answer]) =>
    Effect.gen(function* () {
      const { lookup } = resolver(answer)
      for (const autoSelectFamily of [true, false]) {
        const agents = yield* open(false, { lookup, autoSelectFamily })
        const error = yield* Effect.flip(request(agents, "http://service.test:1/"))
        assert.instanceOf(error, GuardedAgents.AddressRefused)
        // The message may be shown to any user, so it has no address.
        assert.strictEqual(error.message, "service.test is not on the public Internet")
        for (const address of answer) assert.notInclude(JSON.stringify(error), address)
      }
    })
  )

  it.live.each([true, false])(
    "name → one lookup, and the address that was checked is connected to (autoSelectFamily %s)",
    (auto) =>
      Effect.gen(function* () {
        const { calls, lookup } = resolver(["1.1.1.1"], ["127.0.0.1"])
        const agents = yield* open(false, { lookup, autoSelectFamily: auto })
        const found: Array<string> = []
        const error = yield* Effect.flip(request(agents, "http://service.test:1/", {}, stopBeforeConnecting(found)))
        assert.strictEqual(error.message, "stopped")
        assert.deepStrictEqual([found, calls()], [["1.1.1.1"], 1])
        // The next connection is checked anew.
        assert.isTrue(GuardedAgents.isRefused(yield* Effect.flip(request(agents, "http://service.test:1/"))))
        assert.strictEqual(calls(), 2)
      })
  )

  it.live("literal of a public address → not refused", () =>
    Effect.gen(function* () {
      const agents = yield* open(false)
      // Does not wait for a route to the address.
      const stop = (socket: Socket) => void socket.destroy(new Error("stopped"))
      const options = { localAddress: "127.0.0.1" }
      const error = yield* Effect.flip(request(agents, "http://1.1.1.1:1/", options, stop))
      assert.isFalse(GuardedAgents.isRefused(error))
    })
  )

  it.live.each([
    ["[::1]", false, true],
    ["[::ffff:7f00:1]", false, true],
    ["[2606:4700::1111]", false, false],
    ["[2606:4700::1111]", true, false],
    ["[::1]", true, false]
  ] as const)("host %s in brackets → taken for a literal (allowPrivate %s)", (given) =>
    Effect.gen(function* () {
      const [hostname, allowPrivate, isRefused] = given
      const { calls, lookup } = resolver(["1.1.1.1"])
      const agents = yield* open(allowPrivate, { lookup })
      // Does not wait for a route to the address.
      const stop = (socket: Socket) => void socket.destroy(new Error("stopped"))
      const options = { hostname, localAddress: "::1" }
      for (const scheme of ["http", "https"]) {
        const error = yield* Effect.flip(request(agents, `${scheme}://service.test:1/`, options, stop))
        assert.strictEqual(GuardedAgents.isRefused(error), isRefused)
      }
      assert.strictEqual(calls(), 0)
    })
  )

  it.live("name in brackets → looked up like any other", () =>
    Effect.gen(function* () {
      const { calls, lookup } = resolver(["127.0.0.1"])
      for (const hostname of ["[127.0.0.1]", "[service.test]", "[]"]) {
        const agents = yield* open(false, { lookup })
        assert.isTrue(GuardedAgents.isRefused(yield* Effect.flip(request(agents, "http://h:1/", { hostname }))))
      }
      assert.strictEqual(calls(), 3)
    })
  )

  it.live("request with its own lookup → its answer is checked", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* serve
      const { calls, lookup } = resolver(["127.0.0.1"])
      const agents = yield* open(false)
      const error = yield* Effect.flip(request(agents, `http://service.test:${port}/`, { lookup }))
      assert.isTrue(GuardedAgents.isRefused(error))
      assert.deepStrictEqual([calls(), connections()], [1, 0])
    })
  )

  it.live(
    "name that is private, that does not exist, or whose lookup does not end → the same error at the same time",
    () =>
      Effect.gen(function* () {
        const missing = Object.assign(new Error("no such name"), { code: "ENOTFOUND" })
        const lookups: ReadonlyArray<LookupFunction> = [
          resolver(["10.0.0.1"]).lookup,
          (_host, _options, done) => done(missing, []),
          () => {}
        ]
        const errors = yield* Effect.forEach(lookups, (lookup) =>
          Effect.gen(function* () {
            const agents = yield* open(false, { lookup })
            const begun = performance.now()
            const error = yield* Effect.flip(request(agents, "http://service.test/"))
            // The timer's resolution is a millisecond.
            assert.isAtLeast(performance.now() - begun, 49)
            return [error.constructor, error.message, JSON.stringify(error)]
          })
        )
        assert.deepStrictEqual(errors, [errors[0], errors[0], errors[0]])
        assert.deepStrictEqual(errors[0]?.[0], GuardedAgents.AddressRefused)
      })
  )

  it.live("allowPrivate, lookup fails → its error unchanged", () =>
    Effect.gen(function* () {
      const missing = Object.assign(new Error("no such name"), { code: "ENOTFOUND" })
      const agents = yield* open(true, { lookup: (_host, _options, done) => done(missing, []) })
      assert.strictEqual(yield* Effect.flip(request(agents, "http://service.test/")), missing)
    })
  )

  it.live("socket in the file system → refused", () =>
    Effect.gen(function* () {
      const agents = yield* open(false)
      const error = yield* Effect.flip(request(agents, "http://localhost/", { socketPath: "/nowhere/holdfast.sock" }))
      assert.isTrue(GuardedAgents.isRefused(error))
    })
  )

  it.live("allowPrivate → private addresses are connected to, and connections are reused", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* serve
      const agents = yield* open(true)
      for (let turn = 0; turn < 2; turn++) {
        const freed = yield* Deferred.make<void>()
        agents.http.once("free", () => Deferred.doneUnsafe(freed, Effect.void))
        assert.strictEqual(yield* request(agents, `http://127.0.0.1:${port}/`), "private")
        yield* Deferred.await(freed)
      }
      assert.strictEqual(connections(), 1)
    })
  )

  it.live("make: address of a metadata service → refused", () =>
    Effect.gen(function* () {
      const agents = GuardedAgents.make({ allowPrivate: false })
      const request = Https.get("https://169.254.169.254/", { agent: agents.https })
      const error = yield* Effect.callback<unknown>((resume) => {
        request.on("error", (error) => resume(Effect.succeed(error)))
      })
      assert.isTrue(GuardedAgents.isRefused(error))
    })
  )

  it("isRefused: wrapped refusal → true, other errors → false", () => {
    const refused = new GuardedAgents.AddressRefused({ host: "service.test" })
    const circle: { cause?: unknown } = {}
    circle.cause = circle
    for (const error of [
      refused,
      new Error("outer", { cause: new Error("inner", { cause: refused }) }),
      new AggregateError([new Error("other"), refused]),
      Object.assign(new Error(refused.message), { code: refused.code })
    ]) {
      assert.isTrue(GuardedAgents.isRefused(error))
    }
    for (const error of [undefined, null, "ERR_ADDRESS_REFUSED", new Error("other"), circle]) {
      assert.isFalse(GuardedAgents.isRefused(error))
    }
  })
})
