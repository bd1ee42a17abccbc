import type { Holdfast } from "@holdfast/core"
import { serve as serveHono } from "@hono/node-server"
import express from "express"
import fastify from "fastify"
import { Hono } from "hono"
import { createServer, type Server } from "node:http"
import { describe, expect, it, onTestFinished } from "vitest"
import { toFastify, toNodeListener, toWebHandler } from "../../src/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

interface File {
  readonly id: string
  readonly name: string
}

/** Each entry mounts the API under `/files` in a server of this kind, and the server listens. */
const hosts: Readonly<Record<string, (holdfast: Holdfast) => Promise<Server>>> = {
  "node:http": async (holdfast) => createServer(toNodeListener(holdfast, { prefix: "/files" })).listen(0, "127.0.0.1"),
  Express: async (holdfast) => express().use("/files", toNodeListener(holdfast)).listen(0, "127.0.0.1"),
  "Express behind its parsers": async (holdfast) =>
    express()
      .use(express.json(), express.text(), express.urlencoded(), express.raw())
      .use("/files", toNodeListener(holdfast))
      .listen(0, "127.0.0.1"),
  "Express, as a route": async (holdfast) =>
    express()
      .all("/files/*path", toNodeListener(holdfast, { prefix: "/files" }))
      .listen(0, "127.0.0.1"),
  Fastify: async (holdfast) => {
    const app = fastify()
    await app.register(toFastify(holdfast), { prefix: "/files" })
    await app.listen({ port: 0, host: "127.0.0.1" })
    return app.server
  },
  Hono: async (holdfast) => {
    const handler = toWebHandler(holdfast, { prefix: "/files/" })
    const app = new Hono().all("/files/*", (c) => handler(c.req.raw))
    // Hono's server replaces these globals by its own classes.
    const { Request, Response } = globalThis
    onTestFinished(
      () => void Object.defineProperties(globalThis, { Request: { value: Request }, Response: { value: Response } })
    )
    return serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server
  }
}

describe.each(Object.keys(hosts))("mounted in %s", (name) => {
  const mount = async () => {
    const opened = await MountedHoldfast.openHoldfast()
    const server = await hosts[name]?.(opened.holdfast)
    if (server === undefined) throw new Error(name)
    const url = await MountedHoldfast.urlOf(server)
    return { ...opened, url, api: MountedHoldfast.requests(`${url}/files`, opened) }
  }

  it("forms, JSON and raw bytes → accepted; ranges and whole contents → served", async () => {
    const { api, files } = await mount()
    const form = new FormData()
    form.append("body", JSON.stringify({ name: "ä.txt" }))
    form.append("file", new Blob(["Hello"]))
    const uploaded = await api.post(`${files}/upload`, { body: form })
    const file = await json<File>(uploaded)
    expect([uploaded.status, uploaded.headers.get("location")]).toEqual([201, `/files/api/v1${files}/${file.id}`])

    const path = `${files}/${file.id}`
    const renamed = await api.patch(path, { json: { name: "ö.txt" } })
    expect([renamed.status, (await json<File>(renamed)).name]).toEqual([200, "ö.txt"])

    const part = await api.get(`${path}/view`, { headers: { range: "bytes=1-2" } })
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 1-2/5", "el"])

    const large = new Uint8Array(3_000_000).map((_, i) => i % 251)
    for (const [type, body] of [
      ["application/octet-stream", large.slice(0, 50_000)],
      ["video/mp4", large],
      ["text/css", new TextEncoder().encode("wörter")]
    ] as const) {
      const again = await api.post(`${path}/reupload`, { body, headers: { "content-type": type } })
      expect([again.status, await again.text()]).toEqual([200, expect.stringContaining(file.id)])
      const whole = await api.get(`${path}/download`)
      expect(whole.headers.get("content-disposition")).toContain("attachment")
      expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), Buffer.from(body))).toBe(0)
    }
    expect((await api.delete(path)).status).toBe(204)
    const head = await api.head(`${path}/view`)
    expect([head.status, await head.text()]).toEqual([404, ""])
  })

  it("path in another form → 404", async () => {
    const { key, url } = await mount()
    const headers = { "x-api-key": key }
    expect((await fetch(`${url}/files/api/v1/me`, { headers })).status).toBe(200)
    for (const path of ["api/v1/me/", "api/v1/ME", "api/v1/me;x", "api/v1//me", "api/v1/%6de"]) {
      expect([path, (await fetch(`${url}/files/${path}`, { headers })).status]).toEqual([path, 404])
    }
  })

  it("errors below the prefix → problems", async () => {
    const { api, files } = await mount()
    await expectProblem(await api.get("/nothing"), 404, "not_found")
    const put = await api.request("PUT", files)
    expect(put.headers.get("allow")).toBe("GET, HEAD, POST")
    await expectProblem(put, 405, "method_not_allowed")
    await expectProblem(await api.get(files, { key: null }), 401, "unauthenticated")
    await expectProblem(await api.post(files, { json: { name: 1 } }), 400, "invalid_request")
  })

  it("client disconnects during an upload → nothing stored", async () => {
    const { api, files, holdfast, key, listBlobs, ref, root } = await mount()
    const reserved = await json<File>(await api.post(files, { json: { name: "a.bin" } }))
    const abort = new AbortController()
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.enqueue(new Uint8Array(65_536))
        // The client disconnects once the server has begun to write.
        if (++sent > 16 && listBlobs().length > 0) {
          abort.abort()
          return controller.error(new Error("disconnected"))
        }
        return new Promise((resolve) => setImmediate(resolve))
      }
    })
    const answer = fetch(`${api.baseUrl}${files}/${reserved.id}/reupload`, {
      method: "POST",
      headers: { "x-api-key": key },
      body,
      duplex: "half",
      signal: abort.signal
    })
    await expect(answer).rejects.toThrow("abort")
    await expect.poll(listBlobs).toEqual([])
    const record = await holdfast.files.get(root, { ...ref, fileId: reserved.id })
    expect(record.version).toBe(0)
  })

  it("Holdfast closed → 503 with Retry-After", async () => {
    const { api, files, holdfast } = await mount()
    expect((await api.get(files)).status).toBe(200)
    await holdfast.close()
    const answer = await api.get(files)
    expect(answer.headers.get("retry-after")).toBe("2")
    await expectProblem(answer, 503, "unavailable")
  })
})
