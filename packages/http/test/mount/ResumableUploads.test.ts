/**
 * Resumable uploads through the mounts of the API: behind parsers of a host, and as a web handler.
 */
import express from "express"
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { toNodeListener, toWebHandler } from "../../src/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

const bytes = new Uint8Array(randomBytes(50_000))
const tus = { "tus-resumable": "1.0.0" }
const offsetType = "application/offset+octet-stream"

it("Express under a prefix, behind parsers of bytes → Location has the prefix, bytes right; content parsed as JSON → 500", async () => {
  const opened = await MountedHoldfast.openHoldfast()
  const app = express()
    .use(express.json(), express.raw({ type: offsetType, limit: "1mb" }))
    .use("/store", toNodeListener(opened.holdfast))
  const url = await MountedHoldfast.urlOf(app.listen(0, "127.0.0.1"))
  const api = MountedHoldfast.requests(`${url}/store`, opened)
  const created = await api.post(`${opened.files}/uploads?name=a`, { headers: { ...tus, "upload-length": "50000" } })
  const location = created.headers.get("location") ?? ""
  expect(location).toContain(`/store/api/v1${opened.files}/uploads/upl_`)
  const last = await api.patch(`${url}${location}`, {
    body: bytes,
    headers: { ...tus, "content-type": offsetType, "upload-offset": "0" }
  })
  expect(last.status).toBe(204)
  const view = await api.get(`${opened.files}/${last.headers.get("holdfast-file-id")}/view`)
  expect(await view.bytes()).toEqual(bytes)
  const headers = { "content-type": "application/json" }
  for (const path of ["uploads?name=b", "upload?name=c"]) {
    const parsed = await api.post(`${opened.files}/${path}`, {
      body: '{ "a": 1 }',
      headers: { ...headers, "upload-complete": "?1" }
    })
    await expectProblem(parsed, 500, "internal")
  }
})

it("web handler: tus and the draft of the IETF, without interim answers → files", async () => {
  const opened = await MountedHoldfast.openHoldfast()
  const send = MountedHoldfast.toFetch(toWebHandler(opened.holdfast, { prefix: "/store" }), opened)
  const host = "https://host.example"
  const base = `${host}/store/api/v1${opened.files}`
  const created = await send("POST", `${base}/uploads?name=a`, { headers: { ...tus, "upload-length": "50000" } })
  const upload = `${host}${created.headers.get("location")}`
  const patch = (offset: number, body: Uint8Array<ArrayBuffer>) =>
    send("PATCH", upload, {
      body,
      headers: { ...tus, "content-type": offsetType, "upload-offset": String(offset) }
    })
  expect((await patch(0, bytes.slice(0, 20_000))).headers.get("upload-offset")).toBe("20000")
  expect((await send("HEAD", upload, { headers: tus })).headers.get("upload-offset")).toBe("20000")
  const last = await patch(20_000, bytes.slice(20_000))
  const view = await send("GET", `${base}/${last.headers.get("holdfast-file-id")}/view`)
  expect(new Uint8Array(await view.arrayBuffer())).toEqual(bytes)

  const headers = { "upload-complete": "?1", "upload-draft-interop-version": "8" }
  const whole = await send("POST", `${base}/upload?name=b`, { body: bytes, headers })
  expect([whole.status, whole.headers.get("upload-complete")]).toEqual([201, "?1"])
  const { id } = await json<{ id: string }>(whole)
  expect(new Uint8Array(await (await send("GET", `${base}/${id}/view`)).arrayBuffer())).toEqual(bytes)
})
