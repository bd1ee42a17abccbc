/**
 * Stores a body durably at the least cost: through SHA-256 to a temporary file, sync of the file, rename, sync of the
 * directory. It uses plain Node only.
 */
import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { open, rename } from "node:fs/promises"
import { Transform, type Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

/** The start of all file names. */
export const prefix = "stored-"

let count = 0

/** Stores a body in a directory under a new name. Returns its hash, hexadecimal. */
export const store = async (body: Readable, directory: string): Promise<string> => {
  const name = `${directory}/${prefix}${count++}`
  const hash = createHash("sha256")
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    }
  })
  await pipeline(body, hashing, createWriteStream(`${name}.tmp`, { flags: "wx", flush: true }))
  await rename(`${name}.tmp`, name)
  const parent = await open(directory)
  await parent.sync()
  await parent.close()
  return hash.digest("hex")
}
