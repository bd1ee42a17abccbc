/**
 * Chunks that a host passes in or listens to remain usable: only the standalone server transfers the memory of its
 * chunks.
 */
import * as Generate from "@holdfast/testing/data/Generate"
import express from "express"
import { Readable } from "node:stream"
import { expect, it } from "vitest"
import { toNodeListener, toWebHandler } from "../../src/index.ts"
import { sha256Hex } from "../support/Hashes.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

const size = 64 * 1024
const content = Generate.bytes(1, 32 * size)

/** Splits the content into chunks with a buffer of their own. */
const makeChunks = (): Array<Uint8Array<ArrayBuffer>> =>
  Array.from(
    { length: content.length / size },
    (_, index) => new Uint8Array(content.subarray(index * size, (index + 1) * size))
  )

const expectWhole = (chunks: ReadonlyArray<Uint8Array>): void =>
  expect(Buffer.concat(chunks).equals(content)).toBe(true)

/** The forms in which a caller can pass chunks. */
const sources: Readonly<
  Record<string, (chunks: ReadonlyArray<Uint8Array>) => Iterable<Uint8Array> | Readable | ReadableStream<Uint8Array>>
> = {
  "an array": (chunks) => chunks,
  "a Node stream": (chunks) => Readable.from(chunks, { objectMode: false }),
  "a web stream": (chunks) => ReadableStream.from(chunks)
}

it.each(Object.entries(sources))("Promise API: content in %s → the caller's chunks unchanged", async (_, sourceOf) => {
  const { holdfast, ref, root } = await MountedHoldfast.openHoldfast()
  const chunks = makeChunks()
  const file = await holdfast.files.upload(root, { ...ref, name: "a.bin", content: sourceOf(chunks) })
  expect(file).toMatchObject({ checksum: { sha256: sha256Hex(content) } })
  expectWhole(chunks)
})

it("toNodeListener: the host listens to the request, too → it receives the same bytes", async () => {
  const opened = await MountedHoldfast.openHoldfast()
  const received: Array<Uint8Array> = []
  const app = express()
    .use((request, _response, next) => {
      request.on("data", (chunk: Uint8Array) => received.push(chunk)).pause()
      next()
    })
    .use(toNodeListener(opened.holdfast))
  const api = MountedHoldfast.requests(await MountedHoldfast.urlOf(app.listen(0, "127.0.0.1")), opened)
  const form = new FormData()
  form.append("file", new Blob([content]), "a.bin")
  expect((await api.post(`${opened.files}/upload`, { body: form })).status).toBe(201)
  expect(Buffer.concat(received).includes(Buffer.from(content))).toBe(true)
})

it("toWebHandler: body from a stream of chunks → the caller's chunks unchanged", async () => {
  const opened = await MountedHoldfast.openHoldfast()
  const send = MountedHoldfast.toFetch(toWebHandler(opened.holdfast), opened)
  const { id } = await opened.holdfast.files.upload(opened.root, { ...opened.ref, name: "a.bin", content: "old" })
  const chunks = makeChunks()
  const url = `https://host.example/api/v1${opened.files}/${id}`
  const answer = await send("POST", `${url}/reupload`, { body: ReadableStream.from(chunks), duplex: "half" })
  expect(answer.status).toBe(200)
  expectWhole(chunks)
  expectWhole([new Uint8Array(await (await send("GET", `${url}/view`)).arrayBuffer())])
})
