import { expect, it } from "vitest"
import { toWebHandler } from "../../src/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as Support from "./support.ts"

const base = "https://host.example/store/api/v1"

const setUp = async () => {
  const opened = await Support.setUp()
  const ask = Support.ask(toWebHandler(opened.holdfast, { prefix: "/store" }), opened)
  const reserved = await ask("POST", base + opened.files, {
    body: JSON.stringify({ name: "a.bin" }),
    headers: { "content-type": "application/json" }
  })
  const { id } = await json<{ id: string }>(reserved)
  return { ...opened, ask, id, file: `${base}${opened.files}/${id}` }
}

it("streams up and down without holding a content", async () => {
  const { ask, file } = await setUp()
  const chunk = new Uint8Array(256 * 1024).fill(7)
  let pulled = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (++pulled > 64) return controller.close()
      controller.enqueue(chunk.slice())
    }
  })
  const uploaded = await ask("POST", `${file}/reupload`, { body, duplex: "half" })
  expect(uploaded.status).toBe(200)

  const view = await ask("GET", `${file}/view`)
  expect(view.headers.get("content-length")).toBe(String(64 * chunk.length))
  let received = 0
  for await (const part of view.body ?? []) received += part.length
  expect(received).toBe(64 * chunk.length)

  const part = await ask("GET", `${file}/view`, { headers: { range: "bytes=-3" } })
  expect([part.status, new Uint8Array(await part.arrayBuffer())]).toEqual([206, new Uint8Array([7, 7, 7])])
})

it("stores nothing of an aborted request", async () => {
  const { ask, blobs, file } = await setUp()
  const abort = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(65_536))
      if (blobs().length > 0) abort.abort()
    }
  })
  await ask("POST", `${file}/reupload`, { body, duplex: "half", signal: abort.signal })
  await expect.poll(blobs).toEqual([])
  await expectProblem(await ask("GET", `${file}/view`), 404, "content_not_uploaded")
})

it("ends a request that runs while the Holdfast is closed, and answers 503 from then on", async () => {
  const { ask, blobs, file, holdfast } = await setUp()
  let begun = (): void => undefined
  const isReading = new Promise<void>((resolve) => {
    begun = resolve
  })
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(65_536))
      begun()
      return new Promise((resolve) => setImmediate(resolve))
    }
  })
  const running = ask("POST", `${file}/reupload`, { body, duplex: "half" })
  await isReading
  await holdfast.close()
  expect((await running).status).toBe(503)
  expect(blobs()).toEqual([])
  await expectProblem(await ask("GET", `${file}/view`), 503, "unavailable")
})

it("knows nothing beside its prefix", async () => {
  const { ask, files } = await setUp()
  for (const path of ["/api/v1", "/storehouse/api/v1", "/other/store/api/v1"]) {
    await expectProblem(await ask("GET", `https://host.example${path}${files}`), 404, "not_found")
  }
})

it("refuses what is no prefix, and what is no Holdfast", async () => {
  const { holdfast } = await Support.setUp()
  expect(() => toWebHandler(holdfast, { prefix: "files" })).toThrow('prefix must be a path such as "/files"')
  expect(() => toWebHandler(Object.create(holdfast))).toThrow("expected a Holdfast")
})
