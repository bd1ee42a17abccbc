/**
 * A client that costs next to nothing, so that it does not compete with the server it measures: one socket that is kept
 * alive, requests from ready-made bytes, and responses of which only the head is looked at.
 *
 * It reads into one buffer that is used again and again, and understands `content-length` alone, which is what every
 * measured response has.
 */
import { connect } from "node:net"

interface Reply {
  readonly status: number
  /** Bytes of the body. */
  readonly bytes: number
  /** The head, and what came of the body together with it. */
  readonly text: string
}

/** A body that is sent as fast as the socket takes it: the chunk, again and again, and a last text. */
export interface Body {
  readonly chunk: Buffer
  readonly bytes: number
  readonly suffix: Buffer
}

type Done = (reply: Reply | Error) => void

export interface Connection {
  /** One request at a time: its first bytes, then the body where that was not among them. */
  readonly exchange: (first: Buffer, body: Body | undefined, done: Done) => void
  readonly close: () => void
}

const headEnd = "\r\n\r\n"
const lengthOf = /\r\ncontent-length: *(\d+)/i

/** Collects one response after the other. */
const makeReader = (buffer: Buffer, settle: (reply: Reply) => void) => {
  let text = ""
  let length = -1
  let received = 0

  const onBytes = (count: number): boolean => {
    if (length >= 0) {
      received += count
    } else {
      text += buffer.toString("latin1", 0, count)
      const end = text.indexOf(headEnd)
      if (end < 0) return true
      length = Number(lengthOf.exec(text.slice(0, end))?.[1] ?? 0)
      received = text.length - end - headEnd.length
    }
    if (received >= length) {
      const reply = { status: Number(text.slice(9, 12)), bytes: length, text }
      text = ""
      length = -1
      settle(reply)
    }
    return true
  }
  return { onBytes, begun: () => text }
}

/** Opens a connection to a port of this machine. */
export const open = (port: number): Promise<Connection> =>
  new Promise((resolve, reject) => {
    let waiting: Done | undefined
    const settle = (reply: Reply | Error): void => {
      const done = waiting
      waiting = undefined
      done?.(reply)
    }
    const buffer = Buffer.allocUnsafe(256 * 1024)
    const reader = makeReader(buffer, settle)
    const socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: { buffer, callback: reader.onBytes }
    })

    const send = ({ bytes, chunk, suffix }: Body): void => {
      let left = bytes
      const more = (): void => {
        while (left > 0) {
          const piece = left >= chunk.length ? chunk : chunk.subarray(0, left)
          left -= piece.length
          if (!socket.write(piece) && left > 0) return void socket.once("drain", more)
        }
        socket.write(suffix)
      }
      more()
    }

    const lost = (error: Error): void => {
      reject(error)
      settle(error)
    }
    socket.on("error", lost)
    socket.on("close", () => lost(new Error(`The server closed the connection. ${reader.begun().slice(0, 500)}`)))
    socket.on("connect", () =>
      resolve({
        exchange: (first, body, done) => {
          waiting = done
          socket.write(first)
          if (body !== undefined) send(body)
        },
        close: () => void socket.destroy()
      })
    )
  })
