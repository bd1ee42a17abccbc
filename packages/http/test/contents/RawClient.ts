/**
 * HTTP written to a socket directly, for requests that a correct client does not send.
 */
import { once } from "node:events"
import * as Net from "node:net"

export interface RawResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

const parse = (bytes: Buffer): RawResponse => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) throw new Error(`No response: ${bytes.subarray(0, 200).toString()}`)
  const [line = "", ...fields] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const headers = new Map(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(":")
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    })
  )
  return { status: Number(line.split(" ")[1]), headers, body: bytes.subarray(end + 4) }
}

export interface RawConnection {
  readonly socket: Net.Socket
  readonly write: (data: string | Uint8Array) => Promise<void>
  /** Waits for the end of the connection and parses everything received as one response. */
  readonly response: () => Promise<RawResponse>
}

/** Opens a connection. */
export const connect = async (url: string): Promise<RawConnection> => {
  const { hostname, port } = new URL(url)
  const socket = Net.connect({ host: hostname, port: Number(port) })
  const chunks: Array<Buffer> = []
  socket.on("data", (chunk) => chunks.push(chunk))
  // A reset after the response does not invalidate the response.
  socket.on("error", () => undefined)
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  await once(socket, "connect")
  return {
    socket,
    write: (data) => new Promise((resolve) => socket.write(data, () => resolve())),
    response: async () => {
      await closed
      return parse(Buffer.concat(chunks))
    }
  }
}

/** The head of a request with `Connection: close`. */
export const head = (method: string, path: string, fields: Readonly<Record<string, string | number>>): string =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: localhost",
    "Connection: close",
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    "",
    ""
  ].join("\r\n")

/** One part of a form. */
export const part = (boundary: string, disposition: string, content: string | Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n")
  ])
