import { get, type IncomingMessage, type RequestListener } from "node:http"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Layer from "effect/Layer"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import * as StandaloneServer from "../../src/server/listener/StandaloneServer.ts"
import * as RawHttp from "../support/RawHttp.ts"

/** Length of the response to /large; more than the buffers of the sockets hold. */
const largeBytes = 64 * 1024 * 1024

/** Called when the response to /large ends; the parameter is whether it was sent completely. */
let onLargeEnd = (_isComplete: boolean): void => undefined

/** The tenants of the requests that took two milliseconds, in the order in which they started. */
const started: Array<string> = []

/** Answers the requests of /held that have started. */
const held: Array<() => void> = []

const occupyLoop = (milliseconds: number): void => {
  const end = performance.now() + milliseconds
  while (performance.now() < end) {}
}

/** Answers with the length of the body, to /refused with 413 before it reads the body, and to /waits never. */
const listener: RequestListener = (request, response) => {
  const tenant = /^\/tenants\/(\w+)$/.exec(request.url ?? "")?.[1]
  if (tenant !== undefined) {
    started.push(tenant)
    occupyLoop(2)
    return void response.end("took 2 ms")
  }
  if (request.url === "/refused") return void response.writeHead(413).end("too large")
  if (request.url === "/waits") return
  if (request.url === "/held") return void held.push(() => response.end("was held"))
  if (request.url === "/large") {
    response.once("close", () => onLargeEnd(response.writableFinished))
    return void response.end(Buffer.alloc(largeBytes))
  }
  let length = 0
  request.on("data", (chunk: Buffer) => (length += chunk.length))
  request.on("end", () => response.end(`${length} bytes`))
}

const start = (
  idle: Duration.Input,
  shutdownTimeout: Duration.Input = Duration.zero,
  limits: Partial<Pick<StandaloneServer.Options, "maxWaitingBytes" | "minRate" | "minRateWindow">> = {}
) =>
  ManagedRuntime.make(
    StandaloneServer.layer(Effect.succeed(listener), {
      host: "127.0.0.1",
      port: 0,
      idleTimeout: Duration.fromInputUnsafe(idle),
      drainDelay: Duration.zero,
      shutdownTimeout: Duration.fromInputUnsafe(shutdownTimeout),
      minRate: 1024,
      minRateWindow: Duration.minutes(1),
      maxConnections: 100,
      maxConnectionsPerAddress: 0,
      maxWaitingBytes: 256 * 1024 ** 2,
      trustedProxies: [],
      corsOrigins: [],
      accessLog: false,
      logFormat: "json",
      ...limits
    }).pipe(Layer.provide(layerWebCrypto))
  )

const urlOf = (runtime: ReturnType<typeof start>) =>
  runtime.runPromise(Effect.map(StandaloneServer.StandaloneServer, ({ url }) => url))

describe("StandaloneServer: framing", () => {
  const runtime = start("1 minute")
  let url: string
  beforeAll(async () => {
    url = await urlOf(runtime)
  })
  afterAll(() => runtime.dispose())

  it.each([
    ["second Host", "POST / HTTP/1.1\r\nHost: a\r\nHost: a\r\nContent-Length: 0\r\n\r\n"],
    [
      "transfer coding other than chunked",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
    ],
    ["not HTTP", "GARBAGE\r\n\r\n"],
    [
      "length and transfer coding",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ],
    ["two different lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"],
    ["no Host", "GET / HTTP/1.1\r\n\r\n"]
  ])("%s → 400, and the connection is closed", async (_, request) => {
    const answer = await RawHttp.sendRaw(url, `${request}GET /after HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })

  it("ambiguous or malformed request → answered with a problem", async () => {
    const answer = await RawHttp.sendRaw(url, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-Request-Id: mine\r\n\r\n")
    expect(answer).toMatch(/content-type: application\/problem\+json/i)
    expect(answer).toMatch(/x-request-id: mine\r\n/i)
    expect(answer).toContain('"code":"invalid_request"')
    const garbage = await RawHttp.sendRaw(url, "GARBAGE\r\n\r\n")
    expect(garbage).toContain('"type":"urn:holdfast:problem:invalid_request"')
  })

  it("header section too large → 431", async () => {
    const answer = await RawHttp.sendRaw(url, `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
  })

  it("chunked bodies and pipelined requests → accepted", async () => {
    const one = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    const answer = await RawHttp.sendRaw(url, one + one, /5 bytes[^]*5 bytes/)
    expect(answer.match(/200 OK/g)).toHaveLength(2)
  })

  it("Expect: 100-continue and the body is read → 100 Continue", async () => {
    const head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    const answer = await RawHttp.sendRaw(url, head, /\r\n\r\n/)
    expect(answer).toBe("HTTP/1.1 100 Continue\r\n\r\n")
  })

  it("Expect: another expectation, an empty one → ignored", async () => {
    for (const expectation of ["200-ok", ""]) {
      const head = `POST / HTTP/1.1\r\nHost: a\r\nExpect: ${expectation}\r\nContent-Length: 5\r\n\r\nhello`
      expect(await RawHttp.sendRaw(url, head, /5 bytes/)).toMatch(/^HTTP\/1\.1 200 /)
    }
  })

  it("Expect: 100-continue and the request is refused → final status without 100 Continue, connection closed", async () => {
    const head = "POST /refused HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    const answer = await RawHttp.sendRaw(url, head)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toMatch(/connection: close/i)
  })
})

describe("StandaloneServer: turns of the event loop", () => {
  const runtime = start("1 minute")
  afterAll(() => runtime.dispose())

  it("200 requests of one tenant arrive, then one of another → it starts before most of them; all are answered", async () => {
    const url = await urlOf(runtime)
    const request = (tenant: string, close = "") => `GET /tenants/${tenant} HTTP/1.1\r\nHost: a\r\n${close}\r\n`
    const last = (tenant: string) => request(tenant, "Connection: close\r\n")
    started.length = 0
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => RawHttp.sendRaw(url, request("attacker").repeat(49) + last("attacker"))),
      RawHttp.sendRaw(url, last("neighbour"))
    ])
    expect(answers.map((answer) => answer.split("took 2 ms").length - 1)).toEqual([50, 50, 50, 50, 1])
    expect(started).toHaveLength(201)
    expect(started.indexOf("neighbour")).toBeLessThan(100)
  })
})

describe("StandaloneServer: stalled connection", () => {
  const runtime = start("1 second")
  let url: string
  beforeAll(async () => {
    url = await urlOf(runtime)
  })
  afterAll(() => runtime.dispose())

  it("client stops sending within a body → closed", async () => {
    expect(await RawHttp.sendRaw(url, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")).toBe("")
  })

  it("client stops reading a response → closed", async () => {
    const ended = new Promise<boolean>((resolve) => (onLargeEnd = resolve))
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname).pause()
    socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    expect(await ended).toBe(false)
    socket.destroy()
  })

  it("idle between requests → kept open for the idle timeout plus five seconds", async () => {
    const answer = await RawHttp.sendRaw(url, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", /0 bytes/)
    expect(answer).toMatch(/keep-alive: timeout=6\r\n/i)
  })

  it("client sends slowly → kept open", async () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const answer = new Promise<string>((resolve) => socket.setEncoding("latin1").once("data", resolve))
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n")
    const timer = setInterval(() => socket.write("x"), 200)
    expect(await answer).toContain("8 bytes")
    clearInterval(timer)
    socket.destroy()
  })

  it("handler works longer than the idle timeout → kept open", async () => {
    const { hostname, port } = new URL(url)
    const waiting = connect(Number(port), hostname)
    let isClosed = false
    waiting.on("close", () => (isClosed = true))
    waiting.write("GET /waits HTTP/1.1\r\nHost: a\r\n\r\n")
    // Two stalls that the client causes begin later, one after the other. Both are closed before the assertion.
    for (let i = 0; i < 2; i++) {
      await RawHttp.sendRaw(url, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
    }
    expect(isClosed).toBe(false)
    waiting.destroy()
  })
})

describe("StandaloneServer: requests that do not wait for answers", () => {
  const runtime = start("1 minute")
  let url: string
  beforeAll(async () => {
    url = await urlOf(runtime)
  })
  afterAll(() => runtime.dispose())

  const request = "GET /held HTTP/1.1\r\nHost: a\r\n\r\n"

  /** Sends a text, and answers the requests that start until the connection has been closed or `count` of them are answered. */
  const answerAll = async (text: string, count: number) => {
    held.length = 0
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname).setEncoding("latin1")
    let answers = ""
    let [isClosed, most] = [false, 0]
    socket.on("data", (chunk: string) => (answers += chunk))
    socket.on("error", () => undefined).on("close", () => (isClosed = true))
    socket.write(text)
    await expect
      .poll(
        () => {
          most = Math.max(most, held.length)
          held.shift()?.()
          return isClosed || answers.split("was held").length - 1 === count
        },
        { interval: 1 }
      )
      .toBe(true)
    socket.destroy()
    return { answers: answers.split("was held").length - 1, isClosed, most, last: answers.slice(-200) }
  }

  it("20 at once → two start at a time, all are answered", async () => {
    expect(await answerAll(request.repeat(20), 20)).toMatchObject({ answers: 20, isClosed: false, most: 2 })
  })

  it("500 at once → the first 66 are answered, then the connection is closed", async () => {
    const { last, ...outcome } = await answerAll(request.repeat(500), 500)
    expect(outcome).toEqual({ answers: 66, isClosed: true, most: 2 })
    expect(last).toMatch(/connection: close/i)
  })

  it("very many → the connection is closed at once, other clients are answered", async () => {
    expect(await answerAll(request.repeat(5000), 5000)).toMatchObject({ isClosed: true })
    expect(await RawHttp.sendRaw(url, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).toContain("0 bytes")
  })
})

describe("StandaloneServer: slow readers", () => {
  /** Requests a large response, and reads so many bytes of it in each 10 ms until the connection is closed or there are `until` bytes. */
  const readAt = async (url: string, bytes: number, until: number) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname).pause()
    socket.on("error", () => undefined)
    let received = 0
    socket.write("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    while (!socket.destroyed && received < until) {
      received += (socket.read(Math.min(bytes, socket.readableLength)) as Buffer | null)?.length ?? 0
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const isClosed = socket.destroyed
    socket.destroy()
    return { received, isClosed }
  }

  it("one large text, read above the minimum rate for several windows → sent on", async () => {
    const runtime = start("1 minute", Duration.zero, { minRate: 10 * 1024, minRateWindow: Duration.millis(500) })
    const until = 12 * 1024 ** 2
    const { isClosed, received } = await readAt(await urlOf(runtime), 64 * 1024, until)
    expect(isClosed).toBe(false)
    expect(received).toBeGreaterThanOrEqual(until)
    await runtime.dispose()
  })

  it("more unsent bytes than permitted → the slowest readers are closed, faster ones get all", async () => {
    const runtime = start("1 minute", Duration.zero, { maxWaitingBytes: 2.5 * largeBytes })
    const url = await urlOf(runtime)
    const { hostname, port } = new URL(url)
    const ends: Array<boolean> = []
    onLargeEnd = (isComplete) => ends.push(isComplete)
    const stalled = Array.from({ length: 4 }, () => {
      const socket = connect(Number(port), hostname).pause()
      socket.on("error", () => undefined).write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
      return socket
    })
    const readAll = async () => (await (await fetch(`${url}/large`)).arrayBuffer()).byteLength
    await expect
      .poll(async () => {
        expect(await readAll()).toBe(largeBytes)
        return ends.includes(false)
      })
      .toBe(true)
    await runtime.dispose()
    for (const socket of stalled) socket.destroy()
  })
})

describe("StandaloneServer: stop", () => {
  it("client still reads a response that the handler has ended → sent completely, other connections are closed", async () => {
    const runtime = start("1 minute", "1 minute")
    const url = await urlOf(runtime)
    const idle = RawHttp.sendRaw(url, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    const response = await new Promise<IncomingMessage>((resolve) => get(`${url}/large`, { agent: false }, resolve))
    const stopped = runtime.dispose()
    await expect.poll(() => fetch(url).then(Boolean, () => false)).toBe(false)
    // The server has closed idle connections several times before the client reads on.
    await expect(idle).resolves.toContain("0 bytes")
    let received = 0
    for await (const chunk of response) received += (chunk as Buffer).length
    expect(received).toBe(largeBytes)
    await stopped
  })
})
