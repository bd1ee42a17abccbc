import { expect, it } from "vitest"
import {
  toFastify,
  toNodeListener,
  toOperatorHandler,
  toOperatorListener,
  toS3Handler,
  toWebHandler
} from "../../src/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

const base = "https://host.example/store/api/v1"

const setUp = async () => {
  const opened = await MountedHoldfast.openHoldfast()
  const send = MountedHoldfast.toFetch(toWebHandler(opened.holdfast, { prefix: "/store" }), opened)
  const reserved = await send("POST", base + opened.files, {
    body: JSON.stringify({ name: "a.bin" }),
    headers: { "content-type": "application/json" }
  })
  const { id } = await json<{ id: string }>(reserved)
  return { ...opened, send, id, file: `${base}${opened.files}/${id}` }
}

it("toWebHandler: large content → streamed in both directions; ranges served", async () => {
  const { send, file } = await setUp()
  const chunk = new Uint8Array(256 * 1024).fill(7)
  let pulled = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (++pulled > 64) return controller.close()
      controller.enqueue(chunk.slice())
    }
  })
  const uploaded = await send("POST", `${file}/reupload`, { body, duplex: "half" })
  expect(uploaded.status).toBe(200)

  const view = await send("GET", `${file}/view`)
  expect(view.headers.get("content-length")).toBe(String(64 * chunk.length))
  let received = 0
  for await (const part of view.body ?? []) received += part.length
  expect(received).toBe(64 * chunk.length)

  const part = await send("GET", `${file}/view`, { headers: { range: "bytes=-3" } })
  expect([part.status, new Uint8Array(await part.arrayBuffer())]).toEqual([206, new Uint8Array([7, 7, 7])])
})

it("toWebHandler: request aborted → nothing stored", async () => {
  const { send, file, listBlobs } = await setUp()
  const abort = new AbortController()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(65_536))
      if (listBlobs().length > 0) abort.abort()
    }
  })
  await send("POST", `${file}/reupload`, { body, duplex: "half", signal: abort.signal })
  await expect.poll(listBlobs).toEqual([])
  await expectProblem(await send("GET", `${file}/view`), 404, "content_not_uploaded")
})

it("toWebHandler: Holdfast closed during a request → 503, also for later requests", async () => {
  const { send, file, holdfast, listBlobs } = await setUp()
  let onReading = (): void => undefined
  const isReading = new Promise<void>((resolve) => {
    onReading = resolve
  })
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(65_536))
      onReading()
      return new Promise((resolve) => setImmediate(resolve))
    }
  })
  const running = send("POST", `${file}/reupload`, { body, duplex: "half" })
  await isReading
  await holdfast.close()
  expect((await running).status).toBe(503)
  expect(listBlobs()).toEqual([])
  await expectProblem(await send("GET", `${file}/view`), 503, "unavailable")
})

it("toWebHandler: path outside of the prefix → 404", async () => {
  const { send, files } = await setUp()
  for (const path of ["/api/v1", "/storehouse/api/v1", "/other/store/api/v1"]) {
    await expectProblem(await send("GET", `https://host.example${path}${files}`), 404, "not_found")
  }
})

it("toWebHandler: invalid prefix or object that is not a Holdfast → TypeError", async () => {
  const { holdfast } = await MountedHoldfast.openHoldfast()
  expect(() => toWebHandler(holdfast, { prefix: "files" })).toThrow('prefix must be a path such as "/files"')
  expect(() => toWebHandler(Object.create(holdfast))).toThrow("expected a Holdfast")
})

it("mounts: option that is not known → TypeError with the name that was meant", async () => {
  const { holdfast } = await MountedHoldfast.openHoldfast()
  const limited = Object({ permission: ["file:read"] })
  const message = "option permission is not known; did you mean permissions?"
  expect(() => toWebHandler(holdfast, limited)).toThrow(new TypeError(message))
  expect(() => toNodeListener(holdfast, limited)).toThrow(new TypeError(message))
  expect(() => toFastify(holdfast, limited)).toThrow(new TypeError(message))
  for (const mount of [toOperatorListener, toS3Handler]) {
    expect(() => mount(holdfast, Object({ path: "/store" }))).toThrow(/^option path is not known/)
  }
  expect(() => toOperatorHandler(holdfast, Object({ path: "/store" }))).toThrow(/^option path is not known/)
  expect(() => toNodeListener(holdfast, { permissions: ["file:read"], prefix: undefined })).not.toThrow()
})
