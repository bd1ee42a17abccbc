/**
 * Writes the packets of an MPEG transport stream (ISO/IEC 13818-1, 2.4.3).
 */

export const packetBytes = 188
const headBytes = 4
/** Bytes after the header. */
const roomBytes = packetBytes - headBytes
/** Length and flags of an adaptation field, and a clock reference in it. */
const fieldBytes = 2
const clockBytes = 6

/** 90 kHz: the clock of decoding and presentation times. */
export const clockRate = 90_000

/** Times have 33 bits. */
const wrap = 2 ** 33

/** What the first packet of a PES packet states (2.4.3.5). */
export interface Adaptation {
  /** Whether a decoder can begin here. */
  readonly isEntry: boolean
  /** Ticks of the 90 kHz clock; undefined for none. */
  readonly clock: number | undefined
}

const fieldBytesOf = (isEntry: boolean, hasClock: boolean): number =>
  hasClock ? fieldBytes + clockBytes : isEntry ? fieldBytes : 0

const adaptationBytes = ({ clock, isEntry }: Adaptation): number => fieldBytesOf(isEntry, clock !== undefined)

/** Returns the count of packets that a PES packet of this many bytes takes. */
export const countPackets = (bytes: number, isEntry: boolean, hasClock: boolean): number =>
  Math.ceil((bytes + fieldBytesOf(isEntry, hasClock)) / roomBytes)

/** The memory in which PES packets are made, one after the other. Segments are written without waiting, so that all of them share it. */
export interface Memory {
  /** Returns memory for a PES packet, which is valid until the next one. Its content is undefined. */
  readonly take: (bytes: number, adaptation: Adaptation) => Uint8Array
}

/** Bytes of a word: all but the first and the last packet of a PES packet have 46 of them, which is faster than moving bytes. */
const wordBytes = 4
const roomWords = roomBytes / wordBytes

/** Bytes of memory that are kept. Few frames are larger. */
const keptBytes = 1024 * 1024

const makeMemory = (): Memory => {
  const kept = new ArrayBuffer(keptBytes)
  return {
    take: (bytes, adaptation) => {
      // What follows the first packet begins at a whole word.
      const shift = (roomBytes - adaptationBytes(adaptation)) % wordBytes
      const from = shift === 0 ? 0 : wordBytes - shift
      const buffer =
        from + bytes <= keptBytes ? kept : new ArrayBuffer(Math.ceil((from + bytes) / wordBytes) * wordBytes)
      return new Uint8Array(buffer, from, bytes)
    }
  }
}

export const memory: Memory = makeMemory()

export interface PacketWriter {
  /** What was written. */
  readonly output: Uint8Array
  /** Writes a PES packet that was made in `Memory`. */
  readonly pes: (pid: number, bytes: Uint8Array, adaptation: Adaptation) => void
  /** Writes a section of a table (2.4.4) in one packet. */
  readonly section: (pid: number, section: Uint8Array) => void
  /** Writes a packet with a clock reference alone. */
  readonly clock: (pid: number, ticks: number) => void
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

/**
 * Makes a writer into memory of the right size, which is at the beginning of its buffer. `counters` has the continuity counter of each
 * PID, and is updated.
 */
export const makeWriter = (output: Uint8Array, counters: Map<number, number>): PacketWriter => {
  const words = new Uint32Array(output.buffer)
  let at = 0
  const head = (pid: number, isStart: boolean, control: number): void => {
    const counter = counters.get(pid) ?? 0
    output[at] = 0x47
    output[at + 1] = (isStart ? 0x40 : 0) | (pid >> 8)
    output[at + 2] = pid & 0xff
    output[at + 3] = (control << 4) | counter
    // A packet without payload does not count (2.4.3.3).
    if (control & 1) counters.set(pid, (counter + 1) & 15)
    at += headBytes
  }
  /** Writes an adaptation field of `bytes` bytes, filled up with stuffing. */
  const field = (bytes: number, { clock, isEntry }: Adaptation): void => {
    output[at] = bytes - 1
    if (bytes > 1) {
      output[at + 1] = (isEntry ? 0x40 : 0) | (clock === undefined ? 0 : 0x10)
      let next = at + fieldBytes
      if (clock !== undefined) {
        writeClock(output, next, clock)
        next += clockBytes
      }
      output.fill(0xff, next, at + bytes)
    }
    at += bytes
  }
  const nothing: Adaptation = { isEntry: false, clock: undefined }

  /** Writes one packet with bytes of a PES packet. Returns how many. */
  const part = (pid: number, bytes: Uint8Array, from: number, adaptation: Adaptation): number => {
    const payload = Math.min(bytes.length - from, roomBytes - adaptationBytes(adaptation))
    const rest = roomBytes - payload
    head(pid, from === 0, rest === 0 ? 1 : 3)
    if (rest > 0) field(rest, adaptation)
    output.set(bytes.subarray(from, from + payload), at)
    at += payload
    return payload
  }
  /** Writes the packets that have bytes of a PES packet alone. Returns where they end in it. */
  const full = (pid: number, bytes: Uint8Array, start: number): number => {
    const source = new Uint32Array(bytes.buffer)
    const count = Math.floor((bytes.length - start) / roomBytes)
    const second = pid >> 8
    let counter = counters.get(pid) ?? 0
    let word = (bytes.byteOffset + start) / wordBytes
    let to = at
    for (let packet = 0; packet < count; packet++) {
      output[to] = 0x47
      output[to + 1] = second
      output[to + 2] = pid
      output[to + 3] = 0x10 | counter
      counter = (counter + 1) & 15
      const into = to / wordBytes + 1
      for (let index = 0; index < roomWords; index++) words[into + index] = source[word + index] ?? 0
      word += roomWords
      to += packetBytes
    }
    counters.set(pid, counter)
    at = to
    return start + count * roomBytes
  }

  const pes = (pid: number, bytes: Uint8Array, adaptation: Adaptation): void => {
    const first = part(pid, bytes, 0, adaptation)
    const end = full(pid, bytes, first)
    if (end < bytes.length) part(pid, bytes, end, nothing)
  }
  const section = (pid: number, bytes: Uint8Array): void => {
    head(pid, true, 1)
    // The first byte says where the section begins.
    output[at] = 0
    output.set(bytes, at + 1)
    output.fill(0xff, at + 1 + bytes.length, at + roomBytes)
    at += roomBytes
  }
  const clock = (pid: number, ticks: number): void => {
    head(pid, false, 2)
    field(roomBytes, { isEntry: false, clock: ticks })
  }
  return { output, pes, section, clock }
}
