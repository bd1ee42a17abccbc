import express from "express"
import { describe, expect, it } from "vitest"
import { toNodeListener } from "../../src/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

const mount = async (...parsers: ReadonlyArray<express.RequestHandler>) => {
  const opened = await MountedHoldfast.openHoldfast()
  const app = express()
    .use(...parsers)
    .use(toNodeListener(opened.holdfast))
  const api = MountedHoldfast.requests(await MountedHoldfast.urlOf(app.listen(0, "127.0.0.1")), opened)
  const { id } = await json<{ id: string }>(await api.post(opened.files, { json: { name: "a" } }))
  return { ...opened, api, path: `${opened.files}/${id}` }
}

describe("ParsedBody: a parser of the host has read the body", () => {
  it("parsed JSON, sent compressed or chunked → accepted, and the connection stays usable", async () => {
    const { api, files } = await mount(express.json())
    const name = "ä".repeat(20)
    const compressed = await new Response(
      new Blob([JSON.stringify({ name })]).stream().pipeThrough(new CompressionStream("gzip"))
    ).bytes()
    const answer = await api.post(files, {
      body: compressed,
      headers: { "content-type": "application/json", "content-encoding": "gzip" }
    })
    expect([answer.status, await json(answer)]).toEqual([201, expect.objectContaining({ name })])
    const body = new Blob([JSON.stringify({ name: "b" })]).stream()
    const chunked = await api.post(files, { body, headers: { "content-type": "application/json" } })
    expect(chunked.status).toBe(201)
    // The connection accepts the next request.
    expect((await api.get(files)).status).toBe(200)
  })

  it("JSON as text, content as bytes → accepted", async () => {
    const { api, files, path } = await mount(express.text({ type: "application/json" }), express.raw({ type: "*/*" }))
    expect((await api.post(files, { json: { name: "b" } })).status).toBe(201)
    const content = new Uint8Array([0, 255, 10])
    expect((await api.post(`${path}/reupload`, { body: content })).status).toBe(200)
    expect(await (await api.get(`${path}/view`)).bytes()).toEqual(content)
  })

  it("content parsed as JSON or text → 500 with the reason, nothing stored", async () => {
    const { api, listBlobs, path } = await mount(express.json(), express.text())
    for (const type of ["application/json", "text/plain"]) {
      const answer = await api.post(`${path}/reupload`, { body: '{ "a": 1 }', headers: { "content-type": type } })
      expect((await expectProblem(answer, 500, "internal")).detail).toContain("parser of the host")
    }
    expect(listBlobs()).toEqual([])
  })

  it("form read without leaving a body → 500", async () => {
    const { api, files } = await mount((request, _response, next) => void request.resume().once("end", () => next()))
    const form = new FormData()
    form.append("file", new Blob(["Hello"]), "a.txt")
    await expectProblem(await api.post(`${files}/upload`, { body: form }), 500, "internal")
  })
})
