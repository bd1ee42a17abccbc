/**
 * The tables of an MPEG transport stream with one program (ISO/IEC 13818-1, 2.4.4).
 */
import type { Aac, Ac3 } from "../../Codec.ts"

export const tablePid = 0
export const programPid = 0x1000
export const videoPid = 0x100
export const audioPid = 0x101

const programNumber = 1
/** The type of a stream, and its descriptors. */
interface StreamKind {
  readonly type: number
  readonly descriptors: ReadonlyArray<number>
}

/** Makes a registration descriptor (2.6.8). */
const registration = (identifier: string): ReadonlyArray<number> => [
  5,
  identifier.length,
  ...new TextEncoder().encode(identifier)
]

const avc: StreamKind = { type: 0x1b, descriptors: [] }
const adts: StreamKind = { type: 0x0f, descriptors: [] }

/** AC-3 and E-AC-3, as ATSC A/53, part 3, and A/52, annex G, have them. */
const ac3: Readonly<Record<Ac3["name"], StreamKind>> = {
  "ac-3": { type: 0x81, descriptors: registration("AC-3") },
  "ec-3": { type: 0x87, descriptors: registration("EAC3") }
}

/** The checksum of sections (annex A). */
const checksum = (bytes: Uint8Array, end: number): number => {
  let crc = 0xffff_ffff
  for (let index = 0; index < end; index++) {
    crc ^= (bytes[index] ?? 0) << 24
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  }
  return crc >>> 0
}

const high = (pid: number): number => 0xe0 | (pid >> 8)
const low = (pid: number): number => pid & 0xff

/** Makes a section of a table, with its header and checksum. */
const section = (table: number, id: number, body: ReadonlyArray<number>): Uint8Array => {
  const length = body.length + 9
  const head = [table, 0xb0 | (length >> 8), length & 0xff, id >> 8, id & 0xff, 0xc1, 0, 0]
  const bytes = Uint8Array.from([...head, ...body, 0, 0, 0, 0])
  const end = bytes.length - 4
  new DataView(bytes.buffer).setUint32(end, checksum(bytes, end))
  return bytes
}

/** The program association table: where the table of the program is. */
export const programAssociation = section(0, 1, [0, programNumber, high(programPid), low(programPid)])

const makeProgramMap = (audio: Aac | Ac3 | undefined, hasVideo: boolean): Uint8Array => {
  const clockPid = hasVideo ? videoPid : audioPid
  const stream = ({ descriptors, type }: StreamKind, pid: number) => [
    type,
    high(pid),
    low(pid),
    0xf0,
    descriptors.length,
    ...descriptors
  ]
  return section(2, programNumber, [
    high(clockPid),
    low(clockPid),
    0xf0,
    0,
    ...(hasVideo ? stream(avc, videoPid) : []),
    ...(audio === undefined ? [] : stream(audio._tag === "Aac" ? adts : ac3[audio.name], audioPid))
  ])
}

/** Those that were made: one for each kind of tracks. */
const programMaps = new Map<string, Uint8Array>()

/** The program map table: the streams, and which of them has the clock. */
export const programMap = (audio: Aac | Ac3 | undefined, hasVideo: boolean): Uint8Array => {
  const kind = `${audio?._tag === "Ac3" ? audio.name : audio?._tag} ${hasVideo}`
  const made = programMaps.get(kind) ?? makeProgramMap(audio, hasVideo)
  programMaps.set(kind, made)
  return made
}
