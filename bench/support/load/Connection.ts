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
   * Sends a request: its first bytes, then the body unless `first` contains it. While others are in flight, `first` must contain it.
   */
  readonly send: (first: Buffer, body: Body | undefined, onResponse: OnResponse) => void
  readonly close: () => void
}

const headEnd = "\r\n\r\n"
const contentLength = /\r\ncontent-length: *(\d+)/i

/** Bytes that are searched for the end of a head at a time. */
const headWindow = 2048

/** Parses one response after the other from the bytes that arrive in `buffer`, which may contain several of them. */
const makeReader = (buffer: Buffer, onResponse: (response: Response) => void) => {
  let text = ""
  let length = -1
  let received = 0

  /** Reads a part of a head from a position on, and what follows it of the body. Returns the position after it. */
  const readHead = (from: number, count: number): number => {
    const before = text.length
    text += buffer.toString("latin1", from, Math.min(from + headWindow, count))
    const end = text.indexOf(headEnd)
    if (end < 0) return from + text.length - before
    const bodyAt = end + headEnd.length
    length = Number(contentLength.exec(text.slice(0, end))?.[1] ?? 0)
    received = Math.min(length, text.length - bodyAt)
    text = text.slice(0, bodyAt + received)
    return from + text.length - before
  }

  const readBody = (from: number, count: number): number => {
    const bytes = Math.min(length - received, count - from)
    received += bytes
    return from + bytes
  }

  const onBytes = (count: number): boolean => {
    let at = 0
    while (at < count) {
      at = length < 0 ? readHead(at, count) : readBody(at, count)
      if (length < 0 || received < length) continue
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
    const pending: Array<OnResponse> = []
    const complete = (response: Response | Error): void => pending.shift()?.(response)
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
      for (const onResponse of pending.splice(0)) onResponse(error)
    }
    socket.on("error", onError)
    socket.on("close", () =>
      onError(new Error(`The server closed the connection. ${reader.unfinishedText().slice(0, 500)}`))
    )
    socket.on("connect", () =>
      resolve({
        send: (first, body, onResponse) => {
          pending.push(onResponse)
          socket.write(first)
          if (body !== undefined) sendBody(body)
        },
        close: () => void socket.destroy()
      })
    )
  })
