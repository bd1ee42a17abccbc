import * as FastCheck from "fast-check"
import { expect, it, onTestFinished, vi } from "vitest"
import * as Memory from "../../src/packaging/internal/Memory.ts"
import * as PacketMover from "../../src/packaging/internal/ts/PacketMover.ts"
import * as Packets from "../../src/packaging/internal/ts/Packets.ts"

const { readBytes, writtenBytes } = Memory.large
const blockBytes = readBytes + writtenBytes

/** How PES packets are written. */
interface How {
  /** Whether the bytes are in other memory. */
  readonly isElsewhere: boolean
  /** Bytes of the parts for which room is claimed; 0 for none. */
  readonly claimed: number
}

/** Writes PES packets of these sizes into memory, whose first part has their bytes. Returns the packets. */
const write = (block: Uint8Array, sizes: ReadonlyArray<number>, { claimed, isElsewhere }: How): Uint8Array => {
  for (let index = 0; index < blockBytes; index++) block[index] = (index * 31 + (index >> 8)) & 0xff
  const from = isElsewhere ? block.slice(0, readBytes) : block
  const writer = Packets.makeWriter(block, readBytes)
  const counter = { pid: 0x101, counter: 9 }
  let [source, packets] = [0, 0]
  for (const size of sizes) {
    packets += Packets.countPackets(size, true, true)
    writer.begin(counter, size, true, 1234)
    const end = source + size
    const lastClaimed = claimed > 0 ? end - claimed : -1
    while (source <= lastClaimed) {
      const at = writer.claim(claimed)
      const next = source + claimed
      if (at < 0) writer.put(from, source, next)
      else block.set(from.subarray(source, next), at)
      // Between two such parts there are others, as a frame is behind its header.
      source = Math.min(end, next + 3 * claimed)
      writer.put(from, next, source)
    }
    writer.put(from, source, end)
    source = end
  }
  return block.slice(readBytes, readBytes + packets * Packets.packetBytes)
}

const sizes = FastCheck.array(FastCheck.oneof(FastCheck.nat(600), FastCheck.nat(40_000)), {
  minLength: 1,
  maxLength: 6
})

it("packets written in linear memory, with claimed room or without → the bytes of those in other memory", () => {
  const blocks = Memory.open(false)
  const room = blocks.take()
  const block = room.bytes
  expect(PacketMover.find(block)).toBeDefined()
  expect(PacketMover.find(new Uint8Array(1))).toBeUndefined()
  FastCheck.assert(
    FastCheck.property(sizes, FastCheck.boolean(), FastCheck.nat(40), (all, isElsewhere, claimed) => {
      const expected = write(new Uint8Array(blockBytes), all, { isElsewhere, claimed: 0 })
      expect(Buffer.compare(write(block, all, { isElsewhere, claimed }), expected)).toBe(0)
    })
  )
  blocks.release(room)
  blocks.close()
})

it("blocks: more at once than are linear memory, twice → the same of these", () => {
  const takeMany = () => {
    const blocks = Memory.open(false)
    const all = Array.from({ length: 20 }, blocks.take)
    for (const room of all) blocks.release(room)
    blocks.close()
    return new Set(all.map(({ bytes }) => bytes.buffer).filter((buffer) => Memory.linearOf({ buffer }) !== undefined))
  }
  const linear = takeMany()
  expect(linear.size).toBeGreaterThan(0)
  expect(linear.size).toBeLessThan(20)
  const again = takeMany()
  expect(again.size).toBe(linear.size)
  // By identity: to compare their bytes takes minutes.
  expect([...again].every((buffer) => linear.has(buffer))).toBe(true)
})

it("blocks: a process that may not have linear memory → other memory, which is used again", async () => {
  const fail = vi.fn(function () {
    throw new RangeError("could not allocate memory")
  })
  vi.stubGlobal("WebAssembly", { Memory: fail })
  vi.resetModules()
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })
  const { linearOf, open } = await import("../../src/packaging/internal/Memory.ts")
  const blocks = open(false)
  const room = blocks.take()
  expect(fail).toHaveBeenCalledOnce()
  expect(linearOf(room.bytes)).toBeUndefined()
  blocks.release(room)
  expect(blocks.take().bytes).toBe(room.bytes)
  blocks.close()
})
