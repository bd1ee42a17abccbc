/**
 * What a host passes in, or listens to, stays as it is: only the service's own server gives its chunks away.
 */
import * as Generate from "@holdfast/testing/data/Generate"
import express from "express"
import { Readable } from "node:stream"
import { expect, it } from "vitest"
import { toNodeListener, toWebHandler } from "../../src/index.ts"
import { hex } from "../support/Hashes.ts"
import * as Support from "./support.ts"

const size = 64 * 1024
const content = Generate.bytes(1, 32 * size)

/** Each with a memory of its own. */
const pieces = (): Array<Uint8Array<ArrayBuffer>> =>
  Array.from(
    { length: content.length / size },
    (_, index) => new Uint8Array(content.subarray(index * size, (index + 1) * size))
  )

const expectWhole = (chunks: ReadonlyArray<Uint8Array>): void =>
  expect(Buffer.concat(chunks).equals(content)).toBe(true)

/** How a caller hands them over. */
const sources: Readonly<
  Record<string, (chunks: ReadonlyArray<Uint8Array>) => Iterable<Uint8Array> | Readable | ReadableStream<Uint8Array>>
> = {
  "an array": (chunks) => chunks,
  "a Node stream": (chunks) => Readable.from(chunks, { objectMode: false }),
  "a web stream": (chunks) => ReadableStream.from(chunks)
}

it.each(Object.entries(sources))("in %s, given to the library", async (_, sourceOf) => {
  const { holdfast, ref, root } = await Support.setUp()
  const chunks = pieces()
  const file = await holdfast.files.upload(root, { ...ref, name: "a.bin", content: sourceOf(chunks) })
  expect(file).toMatchObject({ checksum: { sha256: hex(content) } })
  expectWhole(chunks)
})

it("of a request, for a host that listens too", async () => {
  const opened = await Support.setUp()
  const heard: Array<Uint8Array> = []
  const app = express()
    .use((request, _response, next) => {
      request.on("data", (chunk: Uint8Array) => heard.push(chunk)).pause()
      next()
    })
    .use(toNodeListener(opened.holdfast))
  const api = Support.requests(await Support.urlOf(app.listen(0, "127.0.0.1")), opened)
  const form = new FormData()
  form.append("file", new Blob([content]), "a.bin")
  expect((await api.post(`${opened.files}/upload`, { body: form })).status).toBe(201)
  expect(Buffer.concat(heard).includes(Buffer.from(content))).toBe(true)
})

it("of a web request", async () => {
  const opened = await Support.setUp()
  const ask = Support.ask(toWebHandler(opened.holdfast), opened)
  const { id } = await opened.holdfast.files.upload(opened.root, { ...opened.ref, name: "a.bin", content: "old" })
  const chunks = pieces()
  const url = `https://host.example/api/v1${opened.files}/${id}`
  const answer = await ask("POST", `${url}/reupload`, { body: ReadableStream.from(chunks), duplex: "half" })
  expect(answer.status).toBe(200)
  expectWhole(chunks)
  expectWhole([new Uint8Array(await (await ask("GET", `${url}/view`)).arrayBuffer())])
})
