import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { LookupAddress } from "node:dns"
import * as Http from "node:http"
import * as Https from "node:https"
import type { AddressInfo, LookupFunction, Socket } from "node:net"
import * as GuardedAgents from "../src/GuardedAgents.ts"

/** A server on every loopback address, and how many connections it has had; until the scope closes. */
const serve = Effect.gen(function* () {
  let connections = 0
  const server = yield* Effect.acquireRelease(
    Effect.callback<Http.Server>((resume) => {
      const server = Http.createServer((_request, response) => void response.end("inside"))
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

/** Agents until the scope closes. */
const open = (allowPrivate: boolean, options?: GuardedAgents.Options) =>
  Effect.acquireRelease(
    Effect.sync(() => GuardedAgents.make({ allowPrivate }, options)),
    ({ http, https }) =>
      Effect.sync(() => {
        http.destroy()
        https.destroy()
      })
  )

/** The body of an answer, or the request's error. */
const ask = (
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
    const request = url.startsWith("https:")
      ? Https.request(url, { agent: https, ...options }, collect)
      : Http.request(url, { agent: http, ...options }, collect)
    request.on("socket", onSocket)
    request.on("error", (error) => resume(Effect.fail(error)))
    request.end()
  })

/** A resolver of one name's answers, each in its turn, and how often it was asked. */
const resolver = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  let asked = 0
  const lookup: LookupFunction = (_host, options, done) => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? []
    const all: Array<LookupAddress> = answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    setImmediate(() => (options.all ? done(null, all) : done(null, all[0]?.address ?? "", all[0]?.family)))
  }
  return { lookup, asked: () => asked }
}

/** Ends a socket when it knows where to connect to, before it does. */
const stopBeforeConnecting = (found: Array<string>) => (socket: Socket) =>
  void socket.on("lookup", (_error: Error | null, address: string) => {
    found.push(address)
    socket.destroy(new Error("stopped"))
  })

describe("GuardedAgents", () => {
  it.live.each(["127.0.0.1", "2130706433", "0x7f.1", "127.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "localhost"])(
    "refuses %s, without a connection",
    (host) =>
      Effect.gen(function* () {
        const { connections, port } = yield* serve
        const agents = yield* open(false)
        for (const scheme of ["http", "https"]) {
          const error = yield* Effect.flip(ask(agents, `${scheme}://${host}:${port}/`))
          assert.instanceOf(error, GuardedAgents.AddressRefused)
          assert.isTrue(GuardedAgents.isRefused(error))
          assert.notInclude(JSON.stringify(error) + error.message, "at ")
        }
        assert.strictEqual(connections(), 0)
      })
  )

  it.live.each([
    ["a private address", ["10.0.0.1"]],
    ["a private one besides a public one", ["1.1.1.1", "127.0.0.1"]],
    ["a public one besides a private one", ["::1", "2606:4700::1111"]],
    ["none", []]
  ] as const)("refuses a name with %s", ([, answer]) =>
    Effect.gen(function* () {
      const { lookup } = resolver(answer)
      for (const autoSelectFamily of [true, false]) {
        const agents = yield* open(false, { lookup, autoSelectFamily })
        const error = yield* Effect.flip(ask(agents, "http://service.test:1/"))
        assert.instanceOf(error, GuardedAgents.AddressRefused)
        // It may be told to a stranger, who learns no address.
        assert.strictEqual(error.message, "service.test is not on the public Internet")
        for (const address of answer) assert.notInclude(JSON.stringify(error), address)
      }
    })
  )

  it.live.each([true, false])("connects to the address it has checked, and asks once (families by turns: %s)", (auto) =>
    Effect.gen(function* () {
      const { asked, lookup } = resolver(["1.1.1.1"], ["127.0.0.1"])
      const agents = yield* open(false, { lookup, autoSelectFamily: auto })
      const found: Array<string> = []
      const error = yield* Effect.flip(ask(agents, "http://service.test:1/", {}, stopBeforeConnecting(found)))
      assert.strictEqual(error.message, "stopped")
      assert.deepStrictEqual([found, asked()], [["1.1.1.1"], 1])
      // The next connection is checked anew.
      assert.isTrue(GuardedAgents.isRefused(yield* Effect.flip(ask(agents, "http://service.test:1/"))))
      assert.strictEqual(asked(), 2)
    })
  )

  it.live("lets the literal of a public address through", () =>
    Effect.gen(function* () {
      const agents = yield* open(false)
      // Without waiting for whether there is a way to it.
      const stop = (socket: Socket) => void socket.destroy(new Error("stopped"))
      const options = { localAddress: "127.0.0.1" }
      const error = yield* Effect.flip(ask(agents, "http://1.1.1.1:1/", options, stop))
      assert.isFalse(GuardedAgents.isRefused(error))
    })
  )

  it.live.each([
    ["[::1]", false, true],
    ["[::ffff:7f00:1]", false, true],
    ["[2606:4700::1111]", false, false],
    ["[2606:4700::1111]", true, false],
    ["[::1]", true, false]
  ] as const)("takes %s for a literal, as clients that keep the brackets ask (all allowed: %s)", (given) =>
    Effect.gen(function* () {
      const [hostname, allowPrivate, isRefused] = given
      const { asked, lookup } = resolver(["1.1.1.1"])
      const agents = yield* open(allowPrivate, { lookup })
      // Without waiting for whether there is a way to it.
      const stop = (socket: Socket) => void socket.destroy(new Error("stopped"))
      const options = { hostname, localAddress: "::1" }
      for (const scheme of ["http", "https"]) {
        const error = yield* Effect.flip(ask(agents, `${scheme}://service.test:1/`, options, stop))
        assert.strictEqual(GuardedAgents.isRefused(error), isRefused)
      }
      assert.strictEqual(asked(), 0)
    })
  )

  it.live("asks for a name in brackets like for any other", () =>
    Effect.gen(function* () {
      const { asked, lookup } = resolver(["127.0.0.1"])
      for (const hostname of ["[127.0.0.1]", "[service.test]", "[]"]) {
        const agents = yield* open(false, { lookup })
        assert.isTrue(GuardedAgents.isRefused(yield* Effect.flip(ask(agents, "http://h:1/", { hostname }))))
      }
      assert.strictEqual(asked(), 3)
    })
  )

  it.live("checks what a request's own lookup answers", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* serve
      const { asked, lookup } = resolver(["127.0.0.1"])
      const agents = yield* open(false)
      const error = yield* Effect.flip(ask(agents, `http://service.test:${port}/`, { lookup }))
      assert.isTrue(GuardedAgents.isRefused(error))
      assert.deepStrictEqual([asked(), connections()], [1, 0])
    })
  )

  it.live("tells the error of a lookup as it is", () =>
    Effect.gen(function* () {
      const missing = Object.assign(new Error("no such name"), { code: "ENOTFOUND" })
      const agents = yield* open(false, { lookup: (_host, _options, done) => done(missing, []) })
      assert.strictEqual(yield* Effect.flip(ask(agents, "http://service.test/")), missing)
    })
  )

  it.live("refuses sockets in the file system", () =>
    Effect.gen(function* () {
      const agents = yield* open(false)
      const error = yield* Effect.flip(ask(agents, "http://localhost/", { socketPath: "/nowhere/holdfast.sock" }))
      assert.isTrue(GuardedAgents.isRefused(error))
    })
  )

  it.live("lets everything through where private addresses are allowed, and keeps connections", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* serve
      const agents = yield* open(true)
      for (let turn = 0; turn < 2; turn++) {
        const freed = yield* Deferred.make<void>()
        agents.http.once("free", () => Deferred.doneUnsafe(freed, Effect.void))
        assert.strictEqual(yield* ask(agents, `http://127.0.0.1:${port}/`), "inside")
        yield* Deferred.await(freed)
      }
      assert.strictEqual(connections(), 1)
    })
  )

  it("finds a refusal where it was wrapped, and nothing where it was not", () => {
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
