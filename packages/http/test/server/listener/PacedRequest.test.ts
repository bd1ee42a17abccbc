/**
 * Bodies in small chunks of HTTP/1.1, to a listening server.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { PacedRequest } from "../../../src/server/listener/pacing/PacedRequest.ts"
import * as RawHttp from "../../support/RawHttp.ts"

const chunked = (chunks: ReadonlyArray<string>): string =>
  `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")}0\r\n\r\n`

const head = (path: string, last = true): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n${last ? "Connection: close\r\n" : ""}\r\n`

const readAll = async (request: IncomingMessage): Promise<ReadonlyArray<string>> => {
  const chunks: Array<string> = []
  for await (const chunk of request) chunks.push(String(chunk))
  return chunks
}

describe("PacedRequest", () => {
  let small = 0
  const listener: RequestListener = (request, response) => {
    if (request instanceof PacedRequest) request.onSmallChunk = () => void small++
    if (request.url === "/unread") return void response.end("unread")
    void readAll(request).then((chunks) => response.end(JSON.stringify([chunks.length, chunks.join("")])))
  }
  const server = createServer({ IncomingMessage: PacedRequest }, listener)
  let url = ""
  beforeAll(async () => {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  const send = async (chunks: ReadonlyArray<string>): Promise<readonly [count: number, text: string]> => {
    const answer = await RawHttp.sendRaw(url, head("/") + chunked(chunks))
    return JSON.parse(answer.slice(answer.indexOf("[")))
  }

  it("100,000 chunks of one byte → few chunks, the same bytes; each is counted", async () => {
    const text = Array.from({ length: 100_000 }, (_, i) => String.fromCharCode(97 + (i % 26)))
    small = 0
    const [count, received] = await send(text)
    expect(received).toBe(text.join(""))
    expect(count).toBeLessThan(1000)
    expect(small).toBe(100_000)
  })

  it("small and large chunks in turn, chunks at the limit → the bytes in order", async () => {
    const lengths = [1, 2000, 3, 1023, 1024, 1025, 1023, 1023, 70_000, 5, 16_384, 1]
    const chunks = lengths.map((length, i) => String.fromCharCode(65 + i).repeat(length))
    expect((await send(chunks))[1]).toBe(chunks.join(""))
  })

  it("a single small chunk, no body → as it is", async () => {
    expect(await send(["x"])).toEqual([1, "x"])
    expect(await send([])).toEqual([0, ""])
  })

  it("answer without reading the body → its chunks are counted, and the next request is answered", async () => {
    small = 0
    const first = head("/unread", false) + chunked(Array.from({ length: 50_000 }, () => "x"))
    const answer = await RawHttp.sendRaw(url, first + head("/") + chunked(["next"]))
    expect(answer).toContain("unread")
    expect(answer).toContain('[1,"next"]')
    expect(small).toBe(50_001)
  })
})
