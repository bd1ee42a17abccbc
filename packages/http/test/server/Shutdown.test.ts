import { randomBytes } from "node:crypto"
import * as Http from "node:http"
import { describe, expect, it } from "vitest"
import * as Bucket from "../support/Bucket.ts"
import * as Process from "../support/Process.ts"

const size = 24 * 1024 * 1024

/** A service with a file that has no content yet; `file` is its path below the API. */
const prepare = async (env: Readonly<Record<string, string>> = {}) => {
  const bucket = await Bucket.start({ env })
  const made = await bucket.api.post(bucket.files, { json: { name: "a.bin" } })
  const file = await Bucket.json<{ readonly id: string }>(made)
  return { ...bucket, file: `${bucket.files}/${file.id}` }
}

const open = (url: string, options: Http.RequestOptions): Http.ClientRequest =>
  Http.request(url, { agent: false, ...options })

const answered = (request: Http.ClientRequest): Promise<Http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once("response", resolve)
    request.once("error", reject)
  })

const read = async (response: Http.IncomingMessage): Promise<Buffer> => Buffer.concat(await response.toArray())

/** Waits until the service no longer takes connections. */
const closed = async (url: string): Promise<void> => {
  for (;;) {
    try {
      await fetch(`${url}/health/live`)
    } catch {
      return
    }
  }
}

describe("SIGTERM", () => {
  it("lets an upload under way come to its end, takes nothing new, and ends with 0", async () => {
    const { api, file, key, service } = await prepare()
    const content = randomBytes(size)
    const upload = open(`${api.baseUrl}${file}/reupload`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/octet-stream", "content-length": size }
    })
    const response = answered(upload)
    upload.write(content.subarray(0, size / 2))
    await inFlight(service.url, 2)
    service.child.kill("SIGTERM")
    await closed(service.url)
    upload.end(content.subarray(size / 2))
    const answer = await response
    expect(answer.statusCode).toBe(200)
    expect(JSON.parse((await read(answer)).toString())).toMatchObject({ state: "READY", version: 1 })
    expect(await service.ended).toEqual({ code: 0, signal: null })

    const again = await Process.serve({ data: service.data })
    const found = await fetch(`${again.url}/api/v1${file}/view`, { headers: { "x-api-key": key } })
    expect(Buffer.from(await found.arrayBuffer()).equals(content)).toBe(true)
  })

  it("lets a slow download come to its end", async () => {
    const { api, file, key, service } = await prepare()
    const content = randomBytes(size)
    expect((await api.post(`${file}/reupload`, { body: content })).status).toBe(200)
    const download = open(`${api.baseUrl}${file}/view`, { headers: { "x-api-key": key } })
    const response = answered(download)
    download.end()
    const body = await response
    // Nothing is read until the service is closed: more is left than the sockets' buffers hold.
    service.child.kill("SIGTERM")
    await closed(service.url)
    expect((await read(body)).equals(content)).toBe(true)
    expect(await service.ended).toEqual({ code: 0, signal: null })
  })

  it("does not wait for connections that are kept alive", async () => {
    const service = await Process.serve()
    const agent = new Http.Agent({ keepAlive: true })
    const request = open(`${service.url}/health/live`, { agent })
    request.end()
    await read(await answered(request))
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    agent.destroy()
  })

  it("cuts off what does not end in time, and still ends with 0", async () => {
    const { api, file, key, service } = await prepare({ HOLDFAST_SHUTDOWN_TIMEOUT: "200ms" })
    const upload = open(`${api.baseUrl}${file}/reupload`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/octet-stream", "content-length": size }
    })
    const response = answered(upload)
    upload.write(Buffer.alloc(1024))
    await inFlight(service.url, 2)
    const ended = service.stop()
    await expect(response).rejects.toThrow()
    expect(await ended).toEqual({ code: 0, signal: null })
  })
})

it("a further signal, a while after the first, ends the service at once", async () => {
  const { api, file, key, service } = await prepare()
  const upload = open(`${api.baseUrl}${file}/reupload`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/octet-stream", "content-length": size }
  })
  const response = answered(upload)
  upload.write(Buffer.alloc(1024))
  await inFlight(service.url, 2)
  const repeat = setInterval(() => service.child.kill("SIGTERM"), 50)
  await expect(response).rejects.toThrow()
  expect(await service.ended).toEqual({ code: 1, signal: null })
  clearInterval(repeat)
})

it("SIGINT does the same", async () => {
  const service = await Process.serve()
  expect(await service.stop("SIGINT")).toEqual({ code: 0, signal: null })
})

/** Waits until so many requests are under way, the one that asks included. */
const inFlight = async (url: string, count: number): Promise<void> => {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text()
    if (text.includes(`http_requests_in_flight ${count}\n`)) return
  }
}
