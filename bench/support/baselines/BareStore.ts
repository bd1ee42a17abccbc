/**
 * What storing a body durably costs at least: stream it through SHA-256 to a temporary name, sync the file, rename it,
 * sync the directory. Plain Node, nothing else.
 */
import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { open, rename } from "node:fs/promises"
import { Transform, type Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

/** What the names begin with. */
export const prefix = "stored-"

let count = 0

/** Stores a body in a directory under a fresh name. Returns the hash, hexadecimal. */
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
