/**
 * Clients that send or read too slowly, and too many connections: against the service as a process.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as RawHttp from "../support/RawHttp.ts"
import * as Requests from "../support/Requests.ts"

const env = { HOLDFAST_MIN_RATE: "10KiB", HOLDFAST_MIN_RATE_WINDOW: "1s" }

const start = async (environment: Readonly<Record<string, string>>) => {
  const service = await Process.serve({ env: environment })
  const [key] = await service.untilPrinted(/hf_[\w-]{49}/)
  const requests = Requests.make(`${service.url}/api/v1`, key)
  const create = async (path: string, options: Requests.RequestOptions) => {
    const { id } = (await (await requests.post(path, options)).json()) as { readonly id: string }
    return id
  }
  const tenantId = await create("/tenants", { json: { name: "slow", subdomain: "slow" } })
  const bucketId = await create(`/tenants/${tenantId}/buckets`, { json: { name: "slow" } })
  const files = `/api/v1/tenants/${tenantId}/buckets/${bucketId}/files`
  const reserve = (name: string) => create(files.replace("/api/v1", ""), { json: { name } })
  return { service, key, requests, files, reserve }
}

const head = (method: string, path: string, key: string, headers: ReadonlyArray<string>): string =>
  [`${method} ${path} HTTP/1.1`, "Host: a", `X-Api-Key: ${key}`, ...headers, "", ""].join("\r\n")

/** Opens a connection and sends a text. */
const open = (url: string, text: string): Socket => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => undefined)
  socket.write(text)
  return socket
}

/** Sends a request and then bytes at regular times, until the server closes the connection. Returns what the server sent. */
const sendSlowly = async (url: string, text: string, bytes: number, everyMs: number): Promise<string> => {
  const socket = open(url, text).setEncoding("latin1")
  let answer = ""
  socket.on("data", (chunk: string) => (answer += chunk))
  const timer = setInterval(() => socket.write(" ".repeat(bytes)), everyMs)
  await once(socket, "close")
  clearInterval(timer)
  return answer
}

describe("minimum rate", () => {
  it("upload below the rate → 408; above the rate → stored", { timeout: 60_000 }, async () => {
    const { files, key, requests, reserve, service } = await start(env)
    const id = await reserve("slow")
    const request = head("POST", `${files}/${id}/reupload`, key, ["Content-Length: 1000000"])
    const answer = await sendSlowly(service.url, request, 1, 50)
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('"code":"request_timeout"')
    expect(answer).toContain("10240 bytes per second, averaged over 1s")
    expect(await (await requests.get(`${service.url}${files}/${id}`)).json()).toMatchObject({ state: "RESERVED" })

    // Four windows at twice the rate.
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, 50))
        controller.enqueue(new Uint8Array(1024))
        if (++sent === 80) controller.close()
      }
    })
    expect((await requests.post(`${service.url}${files}/${id}/reupload`, { body })).status).toBe(200)
  })

  it("JSON body below the rate → connection closed", { timeout: 60_000 }, async () => {
    const { files, key, service } = await start(env)
    const request = head("POST", files, key, ["Content-Type: application/json", "Content-Length: 1000000"])
    expect(await sendSlowly(service.url, request, 1, 50)).toBe("")
  })

  it(
    "response that is read below the rate → connection closed; above the rate → complete",
    { timeout: 60_000 },
    async () => {
      const { files, key, requests, reserve, service } = await start(env)
      const id = await reserve("large")
      const size = 32 * 1024 * 1024
      await requests.post(`${service.url}${files}/${id}/reupload`, { body: new Uint8Array(size) })
      const request = head("GET", `${files}/${id}/view`, key, ["Connection: close"])

      const slow = open(service.url, request).pause()
      const timer = setInterval(() => slow.read(100), 50)
      // The access log reports the end of the response.
      await service.untilPrinted(/"aborted":true/)
      clearInterval(timer)
      slow.destroy()

      let received = 0
      const steady = open(service.url, request)
      for await (const chunk of steady) {
        received += (chunk as Uint8Array).length
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      expect(received).toBeGreaterThan(size)
    }
  )

  it("connection without a request → kept open", { timeout: 60_000 }, async () => {
    const { files, key, requests, reserve, service } = await start(env)
    const id = await reserve("text")
    await requests.post(`${service.url}${files}/${id}/reupload`, { body: "not a video" })
    const request = head("GET", `${files}/${id}/view`, key, [])
    const socket = open(service.url, request)
    await once(socket, "data")
    let isClosed = false
    socket.on("close", () => (isClosed = true))
    // A slow upload of another connection takes longer than the window.
    await sendSlowly(service.url, head("POST", `${files}/${id}/reupload`, key, ["Content-Length: 1000000"]), 1, 50)
    expect(isClosed).toBe(false)
    socket.destroy()
  })
})

describe("maximum bytes that wait for clients", () => {
  it("large JSON bodies that are never complete → some closed, others answered", { timeout: 60_000 }, async () => {
    const { files, key, service } = await start({ HOLDFAST_MAX_WAITING_BYTES: "4MiB" })
    const text = JSON.stringify({ name: "large", metadata: { text: "x".repeat(1_000_000) } })
    const json = (length: number) =>
      head("POST", files, key, ["Content-Type: application/json", `Content-Length: ${length}`, "Connection: close"])
    let closed = 0
    const slow = Array.from({ length: 8 }, () =>
      open(service.url, json(text.length + 1) + text).on("close", () => closed++)
    )
    await expect.poll(() => closed).toBeGreaterThanOrEqual(4)
    expect(closed).toBeLessThan(slow.length)
    // Metadata may have 16 KiB.
    expect(await RawHttp.sendRaw(service.url, json(text.length) + text)).toMatch(/^HTTP\/1\.1 400 /)
    for (const socket of slow) socket.destroy()
  })
})

describe("maximum number of connections", () => {
  it("one connection more → 503, closed; after another one is closed → accepted", { timeout: 60_000 }, async () => {
    const service = await Process.serve({
      env: { HOLDFAST_MAX_CONNECTIONS: "3", HOLDFAST_MAX_CONNECTIONS_PER_ADDRESS: "1" }
    })
    const health = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"
    const sockets = Array.from({ length: 3 }, () => open(service.url, health))
    await Promise.all(sockets.map((socket) => once(socket, "data")))
    const refused = await RawHttp.sendRaw(service.url, health)
    expect(refused).toMatch(/^HTTP\/1\.1 503 [^]*too many connections[^]*"code":"unavailable"/)
    expect(refused.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    sockets[0]?.destroy()
    await expect.poll(() => RawHttp.sendRaw(service.url, health, /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 2/)
    for (const socket of sockets) socket.destroy()
  })
})
