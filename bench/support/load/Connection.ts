/**
 * A minimal HTTP client: one socket that is kept alive, requests from prepared bytes, and responses of which only the
 * head is parsed. It costs so little that it hardly competes with the measured server for the processor.
 *
 * It reads into one reused buffer and supports `content-length` only, which every measured response has.
 */
import { connect } from "node:net"

interface Response {
  readonly status: number
  /** Bytes of the body. */
  readonly bytes: number
  /** The head, and the part of the body that arrived together with it. */
  readonly text: string
}

/** A body that is sent as fast as the socket accepts it: the chunk, repeated up to `bytes`, then the suffix. */
export interface Body {
  readonly chunk: Buffer
  readonly bytes: number
  readonly suffix: Buffer
}

type OnResponse = (response: Response | Error) => void

export interface Connection {
  /**
   * Sends a request: its first bytes, then the body unless `first` contains it. Only one request may be in flight.
   */
  readonly send: (first: Buffer, body: Body | undefined, onResponse: OnResponse) => void
  readonly close: () => void
}

const headEnd = "\r\n\r\n"
const contentLength = /\r\ncontent-length: *(\d+)/i

/** Parses one response after the other from the bytes that arrive in `buffer`. */
const makeReader = (buffer: Buffer, onResponse: (response: Response) => void) => {
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
      length = Number(contentLength.exec(text.slice(0, end))?.[1] ?? 0)
      received = text.length - end - headEnd.length
    }
    if (received >= length) {
      const response = { status: Number(text.slice(9, 12)), bytes: length, text }
      text = ""
      length = -1
      onResponse(response)
    }
    return true
  }
  return { onBytes, unfinishedText: () => text }
}

/** Opens a connection to a port of this machine. */
export const open = (port: number): Promise<Connection> =>
  new Promise((resolve, reject) => {
    let pending: OnResponse | undefined
    const complete = (response: Response | Error): void => {
      const onResponse = pending
      pending = undefined
      onResponse?.(response)
    }
    const buffer = Buffer.allocUnsafe(256 * 1024)
    const reader = makeReader(buffer, complete)
    const socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: { buffer, callback: reader.onBytes }
    })

    const sendBody = ({ bytes, chunk, suffix }: Body): void => {
      let left = bytes
      const writeMore = (): void => {
        while (left > 0) {
          const next = left >= chunk.length ? chunk : chunk.subarray(0, left)
          left -= next.length
          if (!socket.write(next) && left > 0) return void socket.once("drain", writeMore)
        }
        socket.write(suffix)
      }
      writeMore()
    }

    const onError = (error: Error): void => {
      reject(error)
      complete(error)
    }
    socket.on("error", onError)
    socket.on("close", () =>
      onError(new Error(`The server closed the connection. ${reader.unfinishedText().slice(0, 500)}`))
    )
    socket.on("connect", () =>
      resolve({
        send: (first, body, onResponse) => {
          pending = onResponse
          socket.write(first)
          if (body !== undefined) sendBody(body)
        },
        close: () => void socket.destroy()
      })
    )
  })
