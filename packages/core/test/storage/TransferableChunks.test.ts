import { describe, expect, it } from "vitest"
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"

const size = 64 * 1024
const make = (): Uint8Array<ArrayBuffer> => new Uint8Array(size).fill(7)

describe("TransferableChunks", () => {
  it("detach: a marked chunk is emptied, an unmarked one is not", () => {
    const [marked, kept] = [make(), make()]
    TransferableChunks.markTransferable(marked)
    TransferableChunks.detach([marked, kept])
    expect([marked.length, kept.length]).toEqual([0, size])
  })

  it("detach: called twice for one chunk → no effect the second time", () => {
    const chunk = make()
    TransferableChunks.markTransferable(chunk)
    TransferableChunks.detach([chunk, chunk])
    TransferableChunks.detach([chunk])
    expect(chunk.length).toBe(0)
  })

  it("detach: memory was transferred elsewhere → unchanged there", () => {
    const chunk = make()
    TransferableChunks.markTransferable(chunk)
    const elsewhere = structuredClone(chunk, { transfer: [chunk.buffer] })
    TransferableChunks.detach([chunk])
    expect(elsewhere).toEqual(make())
  })

  it("detach: a view of a marked chunk is not marked", () => {
    const chunk = make()
    const view = chunk.subarray()
    TransferableChunks.markTransferable(chunk)
    TransferableChunks.detach([view, chunk.subarray(1)])
    expect(chunk).toEqual(make())
  })

  it("markTransferable: view of larger or shared memory → not marked", () => {
    const memory = new ArrayBuffer(2 * size)
    const shared = new Uint8Array(new SharedArrayBuffer(size))
    const views = [new Uint8Array(memory, 0, size), new Uint8Array(memory, size), shared]
    views.forEach(TransferableChunks.markTransferable)
    TransferableChunks.detach(views)
    expect(views.map(({ length }) => length)).toEqual([size, size, size])
  })
})
