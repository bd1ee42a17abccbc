/**
 * The packets of an MPEG transport stream.
 */
import { expect } from "vitest"

export interface Packet {
  readonly pid: number
  readonly counter: number
  readonly hasPayload: boolean
  /** Seconds; undefined if the packet has no clock. */
  readonly clock: number | undefined
}

export const parse = (bytes: Uint8Array): ReadonlyArray<Packet> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / 188 }, (_, index) => {
    const at = 188 * index
    expect(bytes[at]).toBe(0x47)
    const control = view.getUint8(at + 3) >> 4
    const hasClock = (control & 2) > 0 && view.getUint8(at + 4) > 0 && (view.getUint8(at + 5) & 0x10) > 0
    return {
      pid: view.getUint16(at + 1) & 0x1fff,
      counter: view.getUint8(at + 3) & 15,
      hasPayload: (control & 1) > 0,
      clock: hasClock ? (view.getUint32(at + 6) * 2 + (view.getUint8(at + 10) >> 7)) / 90_000 : undefined
    }
  })
}

/** Checks that the continuity counters of all tracks run on through the segments. Returns how many tracks and tables there are. */
export const expectContinuity = (segments: ReadonlyArray<Uint8Array>): number => {
  const counters = new Map<number, number>()
  for (const { counter, hasPayload, pid } of segments.flatMap(parse)) {
    const last = counters.get(pid)
    if (last !== undefined) expect(counter).toBe(hasPayload ? (last + 1) & 15 : last)
    counters.set(pid, counter)
  }
  return counters.size
}

/** Checks that clock references in each segment come every 0.1 s at least. */
export const expectClocks = (segments: ReadonlyArray<Uint8Array>): void => {
  for (const segment of segments) {
    const clocks = parse(segment).flatMap(({ clock }) => (clock === undefined ? [] : [clock]))
    for (const [index, clock] of clocks.slice(1).entries()) {
      expect(clock - (clocks[index] ?? NaN)).toBeLessThan(0.1001)
      expect(clock - (clocks[index] ?? NaN)).toBeGreaterThanOrEqual(0)
    }
  }
}
