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

const adaptationBytes = ({ clock, isEntry }: Adaptation): number =>
  clock === undefined ? (isEntry ? fieldBytes : 0) : fieldBytes + clockBytes

/** Returns the count of packets that a PES packet of this many bytes takes. */
export const countPackets = (bytes: number, adaptation: Adaptation): number =>
  Math.ceil((bytes + adaptationBytes(adaptation)) / roomBytes)

export interface PacketWriter {
  /** Writes a PES packet, whose bytes are in several chunks. */
  readonly pes: (pid: number, chunks: ReadonlyArray<Uint8Array>, adaptation: Adaptation) => void
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

/** Makes a writer into memory of the right size. `counters` has the continuity counter of each PID, and is updated. */
export const makeWriter = (output: Uint8Array, counters: Map<number, number>): PacketWriter => {
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

  const pes = (pid: number, chunks: ReadonlyArray<Uint8Array>, adaptation: Adaptation): void => {
    let rest = chunks.reduce((sum, { length }) => sum + length, 0)
    let [chunk, from] = [0, 0]
    for (let isStart = true; rest > 0; isStart = false) {
      const own = isStart ? adaptation : nothing
      const wanted = adaptationBytes(own)
      const payload = Math.min(rest, roomBytes - wanted)
      const bytes = roomBytes - payload
      head(pid, isStart, bytes === 0 ? 1 : 3)
      if (bytes > 0) field(bytes, own)
      for (const end = at + payload; at < end;) {
        const source = chunks[chunk] ?? new Uint8Array()
        const length = Math.min(end - at, source.length - from)
        output.set(source.subarray(from, from + length), at)
        at += length
        from += length
        if (from === source.length) [chunk, from] = [chunk + 1, 0]
      }
      rest -= payload
    }
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
  return { pes, section, clock }
}
