import { describe, expect, it } from "vitest"
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"

const size = 64 * 1024
const make = (): Uint8Array<ArrayBuffer> => new Uint8Array(size).fill(7)

describe("GivenChunks", () => {
  it("frees what was given, and nothing else", () => {
    const [given, kept] = [make(), make()]
    TransferableChunks.markTransferable(given)
    TransferableChunks.detach([given, kept])
    expect([given.length, kept.length]).toEqual([0, size])
  })

  it("frees a chunk once, so that it does no harm to free it again", () => {
    const chunk = make()
    TransferableChunks.markTransferable(chunk)
    TransferableChunks.detach([chunk, chunk])
    TransferableChunks.detach([chunk])
    expect(chunk.length).toBe(0)
  })

  it("leaves a chunk alone whose memory has gone elsewhere already", () => {
    const chunk = make()
    TransferableChunks.markTransferable(chunk)
    const elsewhere = structuredClone(chunk, { transfer: [chunk.buffer] })
    TransferableChunks.detach([chunk])
    expect(elsewhere).toEqual(make())
  })

  it("does not take a view of a chunk for the chunk", () => {
    const chunk = make()
    const view = chunk.subarray()
    TransferableChunks.markTransferable(chunk)
    TransferableChunks.detach([view, chunk.subarray(1)])
    expect(chunk).toEqual(make())
  })

  it("is given no part of a larger memory, nor memory that threads share", () => {
    const memory = new ArrayBuffer(2 * size)
    const shared = new Uint8Array(new SharedArrayBuffer(size))
    const parts = [new Uint8Array(memory, 0, size), new Uint8Array(memory, size), shared]
    parts.forEach(TransferableChunks.markTransferable)
    TransferableChunks.detach(parts)
    expect(parts.map(({ length }) => length)).toEqual([size, size, size])
  })
})
