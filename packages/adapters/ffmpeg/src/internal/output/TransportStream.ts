/**
 * Finds the profile and level of the H.264 video in an MPEG-TS segment (ISO/IEC 13818-1), and whether it has audio.
 */
import * as AnnexB from "./AnnexB.ts"

export const packetBytes = 188
const syncByte = 0x47

/** Returns the payload of a packet: the bytes after its header and adaptation field. */
const payload = (packet: Uint8Array): Uint8Array => {
  const control = ((packet[3] ?? 0) >> 4) & 3
  if ((control & 1) === 0) return packet.subarray(0, 0)
  return packet.subarray((control & 2) === 0 ? 4 : 5 + (packet[4] ?? 0))
}

/** Returns the stream ID of a payload that begins a PES packet; undefined for others (ISO/IEC 13818-1, 2.4.3.7). */
const streamId = (start: Uint8Array): number | undefined =>
  start[0] === 0 && start[1] === 0 && start[2] === 1 ? start[3] : undefined

const isVideo = ([start]: ReadonlyArray<Uint8Array>): boolean =>
  start !== undefined && ((streamId(start) ?? 0) & 0xf0) === 0xe0

/** Whether packets have the beginning of a frame of audio: of MPEG, or of another codec in a private stream. */
export const hasAudio = (packets: Uint8Array): boolean => {
  for (let at = 0; at + packetBytes <= packets.length; at += packetBytes) {
    const packet = packets.subarray(at, at + packetBytes)
    const id = ((packet[1] ?? 0) & 0x40) === 0 ? undefined : streamId(payload(packet))
    if (id !== undefined && ((id & 0xe0) === 0xc0 || id === 0xbd)) return true
  }
  return false
}

/** Returns `avc1.` with profile, constraints and level in hexadecimal (RFC 6381, section 3.3); undefined without H.264. */
export const videoCodec = (segment: Uint8Array): string | undefined => {
  const streams = new Map<number, Array<Uint8Array>>()
  for (let at = 0; at + packetBytes <= segment.length; at += packetBytes) {
    const packet = segment.subarray(at, at + packetBytes)
    if (packet[0] !== syncByte) return undefined
    const id = (((packet[1] ?? 0) & 0x1f) << 8) | (packet[2] ?? 0)
    const parts = streams.get(id) ?? []
    parts.push(payload(packet))
    streams.set(id, parts)
  }
  for (const parts of streams.values()) {
    const found = isVideo(parts) ? AnnexB.profileAndLevel(Buffer.concat(parts)) : undefined
    if (found !== undefined) return `avc1.${Buffer.from(found).toString("hex")}`
  }
  return undefined
}
