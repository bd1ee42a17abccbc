/**
 * Uploads through a virus scanner: clamd of ClamAV, or any program that speaks its protocol.
 */
import { type Holdfast, open, type UploadChange } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { once } from "node:events"
import { connect } from "node:net"

/** Four bytes, which precede each chunk (clamd(8), INSTREAM). A chunk of no bytes ends the content. */
const lengthOf = (bytes: number): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}

/** Sends a content to clamd and returns its answer, such as `stream: OK` or `stream: Eicar-Signature FOUND`. */
const askScanner = async (port: number, { content, signal }: UploadChange): Promise<string> => {
  const socket = connect({ port, host: "127.0.0.1", signal }).setEncoding("utf8")
  let answer = ""
  socket.on("data", (text) => (answer += String(text)))
  const ended = once(socket, "close", { signal })
  socket.write("zINSTREAM\0")
  for await (const chunk of content) {
    socket.write(lengthOf(chunk.length))
    // Waits where the scanner is slower than the disk, so that no content is held in memory.
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain", { signal }), ended])
  }
  socket.end(lengthOf(0))
  await ended
  return answer.replace("\0", "")
}

/** Opens a Holdfast whose contents the scanner on this port has found clean. */
export const openScanned = (directory: string, port: number): Promise<Holdfast> =>
  open({
    metadata: sqlite({ file: `${directory}/holdfast.sqlite` }),
    blobs: fs({ directory }),
    hooks: {
      onUpload: {
        before: async (upload) => {
          const answer = await askScanner(port, upload)
          if (answer === "stream: OK") return undefined
          if (answer.endsWith("FOUND")) return { refuse: "The file contains a virus." }
          throw new Error(`clamd answers ${answer}`)
        }
      },
      timeout: "2 minutes"
    }
  })
