/**
 * Builds requests as bytes.
 */
import type { Outgoing } from "./LoadJob.ts"

const requestLine = (method: string, path: string): string => `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n`

/** A GET request. `headers`: further header lines, each with its line end. */
export const get = (path: string, headers = ""): Outgoing => ({
  head: `${requestLine("GET", path)}${headers}\r\n`,
  prefix: "",
  bytes: 0,
  suffix: ""
})

const bodyHead = (method: string, path: string, type: string, length: number): string =>
  `${requestLine(method, path)}Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`

/** A request with a raw body. */
export const withBytes = (method: "POST" | "PUT", path: string, bytes: number): Outgoing => ({
  head: bodyHead(method, path, "application/octet-stream", bytes),
  prefix: "",
  bytes,
  suffix: ""
})

/** A POST request with a raw body. */
export const postBytes = (path: string, bytes: number): Outgoing => withBytes("POST", path, bytes)

const boundary = "----bench-boundary-6f1c8a52d4e94b07"

/** A POST request with a multipart form (RFC 7578): first the fields, then the part `file`. */
export const postFields = (path: string, fields: Readonly<Record<string, string>>, bytes: number): Outgoing => {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name=`
  const parts = Object.entries(fields).map(([name, value]) => `${disposition}"${name}"\r\n\r\n${value}\r\n`)
  const file = `${disposition}"file"; filename="upload.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const prefix = `${parts.join("")}${file}`
  const suffix = `\r\n--${boundary}--\r\n`
  const length = prefix.length + bytes + suffix.length
  return { head: bodyHead("POST", path, `multipart/form-data; boundary=${boundary}`, length), prefix, bytes, suffix }
}

/** A form whose field `body` is a JSON text with the file's name. */
export const postForm = (path: string, name: string, bytes: number): Outgoing =>
  postFields(path, { body: JSON.stringify({ name, path: "/" }) }, bytes)
