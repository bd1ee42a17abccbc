/**
 * Writes the packets of an MPEG transport stream (ISO/IEC 13818-1, 2.4.3).
 */
import * as Memory from "../Memory.ts"
import * as PacketMover from "./PacketMover.ts"

const { headerBytes, roomBytes } = PacketMover
export const packetBytes: number = headerBytes + roomBytes
/** Length and flags of an adaptation field, and a clock reference in it. */
const fieldBytes = 2
const clockBytes = 6

/** 90 kHz: the clock of decoding and presentation times. */
export const clockRate = 90_000

/** Times have 33 bits. */
const wrap = 2 ** 33

/** Bytes of the adaptation field in the first packet of a PES packet. */
const fieldBytesOf = (isEntry: boolean, hasClock: boolean): number =>
  hasClock ? fieldBytes + clockBytes : isEntry ? fieldBytes : 0

/** Returns the count of packets that a PES packet of this many bytes takes. */
export const countPackets = (bytes: number, isEntry: boolean, hasClock: boolean): number =>
  Math.ceil((bytes + fieldBytesOf(isEntry, hasClock)) / roomBytes)

/** Continuity counters have four bits. */
const counterRange = 16

/** Returns how many packets a track of a segment has to have more, so that its continuity counter ends as it began. */
export const paddingOf = (packets: number): number => (counterRange - (packets % counterRange)) % counterRange

/** Packets of one PID: the counter is that of the next one, and the writer counts on. */
export interface PacketCounter {
  readonly pid: number
  counter: number
}

export interface PacketWriter {
  readonly output: Uint8Array
  /**
   * Makes the next PES packet take this many packets more than its bytes need, 15 at most: its last bytes are in a packet each. The header of
   * a PES packet alone has enough of them.
   */
  readonly pad: (packets: number) => void
  /**
   * Begins a PES packet of this many bytes, all of which `put` and `claim` have to write. The first packet is an entry if a decoder can
   * begin there. Its clock is ticks of the 90 kHz clock; undefined for none.
   */
  readonly begin: (counter: PacketCounter, bytes: number, isEntry: boolean, clock: number | undefined) => void
  /** Writes bytes of the PES packet: those of `from` between `start` and `end`. */
  readonly put: (from: Uint8Array, start: number, end: number) => void
  /** Returns where the caller is to write the next bytes of the PES packet; -1 if they would be in two packets: `put` writes them. */
  readonly claim: (bytes: number) => number
  /** Writes a section of a table (2.4.4) in one packet. */
  readonly section: (counter: PacketCounter, section: Uint8Array) => void
  /** Writes a packet with a clock reference alone. */
  readonly clock: (counter: PacketCounter, ticks: number) => void
}

/** Writes the fields of a clock reference: 33 bits of 90 kHz, 6 reserved bits, and 9 bits of 27 MHz, which are zero. */
const writeClock = (output: Uint8Array, at: number, ticks: number): void => {
  const base = ticks % wrap
  const high = Math.floor(base / 2)
  output[at] = (high / 2 ** 24) & 0xff
  output[at + 1] = (high >>> 16) & 0xff
  output[at + 2] = (high >>> 8) & 0xff
  output[at + 3] = high & 0xff
  output[at + 4] = ((base % 2) << 7) | 0x7e
  output[at + 5] = 0
}

/** Writes a time of 33 bits in five bytes, with marker bits (2.4.3.7). `prefix` says which time it is. */
export const writeTime = (output: Uint8Array, at: number, prefix: number, ticks: number): void => {
  const time = ticks % wrap
  const high = Math.floor(time / 2 ** 30)
  const low = time % 2 ** 30
  output[at] = (prefix << 4) | (high << 1) | 1
  output[at + 1] = (low >>> 22) & 0xff
  output[at + 2] = ((low >>> 14) & 0xfe) | 1
  output[at + 3] = (low >>> 7) & 0xff
  output[at + 4] = ((low << 1) & 0xfe) | 1
}

/** Bytes that are copied or filled by one call of a function, at least: a loop does fewer in less time. */
const minCalled = 16

/** Makes a writer into memory, from `start` on. */
export const makeWriter = (output: Uint8Array, start: number): PacketWriter => {
  let at = start
  const mover = PacketMover.find(output)
  /** Of the PES packet: its counter, the bytes that are to come, and the room for them in the packet that was begun. */
  let current: PacketCounter = { pid: 0, counter: 0 }
  let [rest, room] = [0, 0]
  /** Packets by which the next PES packet is padded, and those that are to come of one that is padded. */
  let [padding, left] = [0, 0]

  const head = (of: PacketCounter, isStart: boolean, control: number): void => {
    const { counter, pid } = of
    output[at] = 0x47
    output[at + 1] = (isStart ? 0x40 : 0) | (pid >> 8)
    output[at + 2] = pid & 0xff
    // A packet without payload does not count: it has the counter of the one before (2.4.3.3).
    output[at + 3] = (control << 4) | (control & 1 ? counter : (counter + 15) & 15)
    if (control & 1) of.counter = (counter + 1) & 15
    at += headerBytes
  }
  const stuff = (from: number, end: number): void => {
    if (mover === undefined || end - from < minCalled) for (let index = from; index < end; index++) output[index] = 0xff
    else mover.fill(output.byteOffset + from, 0xff, end - from)
  }
  /** Writes an adaptation field (2.4.3.5) of `bytes` bytes, filled up with stuffing. */
  const field = (bytes: number, isEntry: boolean, clock: number | undefined): void => {
    output[at] = bytes - 1
    if (bytes > 1) {
      output[at + 1] = (isEntry ? 0x40 : 0) | (clock === undefined ? 0 : 0x10)
      let next = at + fieldBytes
      if (clock !== undefined) {
        writeClock(output, next, clock)
        next += clockBytes
      }
      stuff(next, at + bytes)
    }
    at += bytes
  }
  /** Begins a packet. */
  const open = (isStart: boolean, isEntry: boolean, clock: number | undefined): void => {
    if (left > 0) left--
    room = Math.min(rest - left, roomBytes - fieldBytesOf(isEntry, clock !== undefined))
    const others = roomBytes - room
    head(current, isStart, others === 0 ? 1 : 3)
    if (others > 0) field(others, isEntry, clock)
  }
  /** Writes the packets that have nothing but the given bytes. Returns where those end. */
  const full = (from: Uint8Array, start: number, end: number): number => {
    const count = Math.floor((end - start) / roomBytes)
    const bytes = count * roomBytes
    // Bytes of other memory are copied at once, to the end of the room for these packets: to move them from there takes less time than
    // to copy those of each packet. No packet overwrites what a later one has to move.
    let source = start
    if (from !== output) {
      source = at + count * headerBytes
      output.set(from.subarray(start, start + bytes), source)
    }
    const high = current.pid >> 8
    const low = current.pid & 0xff
    let { counter } = current
    if (mover !== undefined && at + count * packetBytes <= output.length) {
      const header = 0x47 | (high << 8) | (low << 16) | (0x10 << 24)
      mover.movePackets(output.byteOffset + at, output.byteOffset + source, count, header, counter)
      counter = (counter + count) & 15
      at += count * packetBytes
    } else {
      for (let packet = 0; packet < count; packet++) {
        output[at] = 0x47
        output[at + 1] = high
        output[at + 2] = low
        output[at + 3] = 0x10 | counter
        counter = (counter + 1) & 15
        output.copyWithin(at + headerBytes, source, source + roomBytes)
        source += roomBytes
        at += packetBytes
      }
    }
    current.counter = counter
    rest -= bytes
    return start + bytes
  }
  /** Writes bytes for which the packet has room. */
  const putInPacket = (from: Uint8Array, start: number, end: number): void => {
    const bytes = end - start
    if (bytes >= minCalled && mover !== undefined && from === output) {
      mover.copy(output.byteOffset + at, output.byteOffset + start, bytes)
    } else Memory.move(from, start, end, output, at)
    at += bytes
    room -= bytes
    rest -= bytes
  }

  const pad: PacketWriter["pad"] = (packets) => {
    padding = packets
  }
  const begin: PacketWriter["begin"] = (counter, bytes, isEntry, clock) => {
    current = counter
    rest = bytes
    left = padding === 0 ? 0 : countPackets(bytes, isEntry, clock !== undefined) + padding
    padding = 0
    open(true, isEntry, clock)
  }
  const put: PacketWriter["put"] = (from, start, end) => {
    for (let source = start; source < end;) {
      if (room === 0 && left === 0 && end - source >= roomBytes) {
        source = full(from, source, end)
        continue
      }
      if (room === 0) open(false, false, undefined)
      const next = Math.min(end, source + room)
      putInPacket(from, source, next)
      source = next
    }
  }
  const claim: PacketWriter["claim"] = (bytes) => {
    if (room === 0) open(false, false, undefined)
    if (room < bytes) return -1
    at += bytes
    room -= bytes
    rest -= bytes
    return at - bytes
  }
  const section: PacketWriter["section"] = (counter, bytes) => {
    head(counter, true, 1)
    // The first byte says where the section begins.
    output[at] = 0
    output.set(bytes, at + 1)
    output.fill(0xff, at + 1 + bytes.length, at + roomBytes)
    at += roomBytes
  }
  const clock: PacketWriter["clock"] = (counter, ticks) => {
    head(counter, false, 2)
    field(roomBytes, false, ticks)
  }
  return { output, pad, begin, put, claim, section, clock }
}
