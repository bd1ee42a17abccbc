import { randomBytes } from "node:crypto"
import * as Http from "node:http"
import { describe, expect, it } from "vitest"
import { json } from "../support/Problems.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Process from "../support/Process.ts"

const size = 24 * 1024 * 1024

/** Starts a service with a file without content; `file` is its path below the API. */
const prepare = async (env: Readonly<Record<string, string>> = {}, wrapper?: ReadonlyArray<string>) => {
  const bucket = await ServiceBucket.start({ env, ...(wrapper === undefined ? {} : { wrapper }) })
  const made = await bucket.api.post(bucket.files, { json: { name: "a.bin" } })
  const file = await json<{ readonly id: string }>(made)
  return { ...bucket, file: `${bucket.files}/${file.id}` }
}

const open = (url: string, options: Http.RequestOptions): Http.ClientRequest =>
  Http.request(url, { agent: false, ...options })

const responseTo = (request: Http.ClientRequest): Promise<Http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once("response", resolve)
    request.once("error", reject)
  })

const read = async (response: Http.IncomingMessage): Promise<Buffer> => Buffer.concat(await response.toArray())

/** Waits until the service accepts no connections. */
const untilClosed = async (url: string): Promise<void> => {
  for (;;) {
    try {
      await fetch(`${url}/health/live`)
    } catch {
      return
    }
  }
}

describe("SIGTERM", () => {
  it("drain delay → not ready, new and running requests answered, each answer closes its connection, exit code 0", async () => {
    const { api, file, key, service } = await prepare({ HOLDFAST_DRAIN_DELAY: "2s" })
    const agent = new Http.Agent({ keepAlive: true })
    const running = open(`${api.baseUrl}${file}/reupload`, {
      method: "POST",
      agent,
      headers: { "x-api-key": key, "content-type": "application/octet-stream", "content-length": 4 }
    })
    const answer = responseTo(running)
    running.write("ab")
    await untilInFlight(service.url, 2)
    expect((await fetch(`${service.url}/health/ready`)).headers.get("keep-alive")).not.toBeNull()
    service.child.kill("SIGTERM")
    await expect.poll(async () => (await fetch(`${service.url}/health/ready`)).status).toBe(503)
    running.end("cd")
    const made = await api.post(file.replace(/\/[^/]*$/, ""), { json: { name: "b.bin" } })
    for (const [status, headers] of [
      [made.status, made.headers],
      [(await answer).statusCode, new Headers((await answer).headers as Record<string, string>)]
    ] as const) {
      expect([200, 201]).toContain(status)
      expect(headers.get("connection")).toBe("close")
      expect(headers.get("keep-alive")).toBeNull()
    }
    expect(await service.exited).toEqual({ code: 0, signal: null })
    agent.destroy()
  })

  it("upload running → completed, no new connection accepted, exit code 0", async () => {
    const { api, file, key, service } = await prepare()
    const content = randomBytes(size)
    const upload = open(`${api.baseUrl}${file}/reupload`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/octet-stream", "content-length": size }
    })
    const response = responseTo(upload)
    upload.write(content.subarray(0, size / 2))
    await untilInFlight(service.url, 2)
    service.child.kill("SIGTERM")
    await untilClosed(service.url)
    upload.end(content.subarray(size / 2))
    const answer = await response
    expect(answer.statusCode).toBe(200)
    expect(JSON.parse((await read(answer)).toString())).toMatchObject({ state: "READY", version: 1 })
    expect(await service.exited).toEqual({ code: 0, signal: null })

    const again = await Process.serve({ data: service.data })
    const found = await fetch(`${again.url}/api/v1${file}/view`, { headers: { "x-api-key": key } })
    expect(Buffer.from(await found.arrayBuffer()).equals(content)).toBe(true)
  })

  it("slow download running → completed, exit code 0", async () => {
    const { api, file, key, service } = await prepare()
    const content = randomBytes(size)
    expect((await api.post(`${file}/reupload`, { body: content })).status).toBe(200)
    const download = open(`${api.baseUrl}${file}/view`, { headers: { "x-api-key": key } })
    const response = responseTo(download)
    download.end()
    const body = await response
    // The client reads nothing until the service is closed. The rest is more than the buffers of the sockets hold.
    service.child.kill("SIGTERM")
    await untilClosed(service.url)
    expect((await read(body)).equals(content)).toBe(true)
    expect(await service.exited).toEqual({ code: 0, signal: null })
  })

  it("idle keep-alive connection → not waited for", async () => {
    const service = await Process.serve()
    const agent = new Http.Agent({ keepAlive: true })
    const request = open(`${service.url}/health/live`, { agent })
    request.end()
    await read(await responseTo(request))
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    agent.destroy()
  })

  it("request exceeds the shutdown timeout → connection closed, exit code 0", async () => {
    const { api, file, key, service } = await prepare({ HOLDFAST_SHUTDOWN_TIMEOUT: "200ms" })
    const upload = open(`${api.baseUrl}${file}/reupload`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/octet-stream", "content-length": size }
    })
    const response = responseTo(upload)
    upload.write(Buffer.alloc(1024))
    await untilInFlight(service.url, 2)
    const ended = service.stop()
    await expect(response).rejects.toThrow()
    expect(await ended).toEqual({ code: 0, signal: null })
  })
})

it("signals: another SIGTERM more than one second after the first → process exits at once with code 1", async () => {
  const { api, file, key, service } = await prepare()
  const upload = open(`${api.baseUrl}${file}/reupload`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/octet-stream", "content-length": size }
  })
  const response = responseTo(upload)
  upload.write(Buffer.alloc(1024))
  await untilInFlight(service.url, 2)
  const repeat = setInterval(() => service.child.kill("SIGTERM"), 50)
  await expect(response).rejects.toThrow()
  expect(await service.exited).toEqual({ code: 1, signal: null })
  clearInterval(repeat)
})

it.each(["SIGINT", "SIGHUP"] as const)("%s: idle service → exit code 0", async (signal) => {
  const service = await Process.serve()
  expect(await service.stop(signal)).toEqual({ code: 0, signal: null })
})

it("terminal closes: SIGHUP to all processes of the service → requests complete, exit code 0", async () => {
  // A wrapper gives the service a process group of its own, to which signals go.
  const { api, file, key, service } = await prepare({ HOLDFAST_WORKERS: "2" }, ["env"])
  const upload = open(`${api.baseUrl}${file}/reupload`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/octet-stream", "content-length": 2048 }
  })
  const response = responseTo(upload)
  upload.write(Buffer.alloc(1024))
  await untilInFlight(service.url, 2)
  service.kill("SIGHUP")
  upload.end(Buffer.alloc(1024))
  expect((await response).statusCode).toBe(200)
  expect(await service.exited).toEqual({ code: 0, signal: null })
})

/** Polls until `count` requests are in flight, this one included. */
const untilInFlight = async (url: string, count: number): Promise<void> => {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text()
    if (text.includes(`http_requests_in_flight ${count}\n`)) return
  }
}
