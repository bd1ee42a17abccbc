/**
 * Edits the boxes of an MP4.
 */

const containers = new Set(["moov", "trak", "mdia", "minf", "stbl"])

export const box = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(type, 4, "latin1")
  return Buffer.concat([head, body])
}

/** Replaces boxes: `edit` returns the new box, or undefined for one that remains. */
export const edit = (bytes: Buffer, replace: (type: string, body: Buffer) => Buffer | undefined): Buffer => {
  const parts: Array<Buffer> = []
  for (let at = 0; at < bytes.length;) {
    const size = bytes.readUInt32BE(at)
    const type = bytes.toString("latin1", at + 4, at + 8)
    const body = bytes.subarray(at + 8, at + size)
    const remaining = containers.has(type) ? box(type, edit(body, replace)) : bytes.subarray(at, at + size)
    parts.push(replace(type, body) ?? remaining)
    at += size
  }
  return Buffer.concat(parts)
}

/** Replaces offsets of 32 bits by some of 64, each larger by `shift`. For 0, the tables must be at the end of the file. */
export const widenOffsets = (bytes: Uint8Array, shift = 0): Buffer =>
  edit(Buffer.from(bytes), (type, body) => {
    if (type !== "stco") return undefined
    const count = body.readUInt32BE(4)
    const wide = Buffer.alloc(8 + 8 * count)
    wide.writeUInt32BE(count, 4)
    for (let index = 0; index < count; index++) {
      wide.writeBigUInt64BE(BigInt(body.readUInt32BE(8 + 4 * index) + shift), 8 + 8 * index)
    }
    return box("co64", wide)
  })
