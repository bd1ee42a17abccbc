/**
 * The tables of an MPEG transport stream with one program (ISO/IEC 13818-1, 2.4.4).
 */

export const tablePid = 0
export const programPid = 0x1000
export const videoPid = 0x100
export const audioPid = 0x101

const programNumber = 1
const streamTypes = { avc: 0x1b, adts: 0x0f }

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

/** The program map table: the streams, and which of them has the clock. */
export const programMap = ({ hasAudio, hasVideo }: { hasAudio: boolean; hasVideo: boolean }): Uint8Array => {
  const clockPid = hasVideo ? videoPid : audioPid
  const stream = (type: number, pid: number) => [type, high(pid), low(pid), 0xf0, 0]
  return section(2, programNumber, [
    high(clockPid),
    low(clockPid),
    0xf0,
    0,
    ...(hasVideo ? stream(streamTypes.avc, videoPid) : []),
    ...(hasAudio ? stream(streamTypes.adts, audioPid) : [])
  ])
}
