/**
 * The baseline: a process with a node:http server that does the minimum of a file server. It has no keys, no database and
 * no ranges. It exits together with the process that started it.
 *
 *     GET  /constant           sends a constant JSON text, as long as a file's record
 *     GET  /small              opens, reads and closes `small` in the directory
 *     GET  /large              createReadStream(`large`).pipe(response)
 *     POST /raw                stores the body
 *     POST /form               stores the file part of a multipart form
 */
import busboy from "busboy"
import { close, createReadStream, open, read, statSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as DurableStore from "./DurableStore.ts"

const directory = process.argv[2] ?? "."
const small = `${directory}/small`
const large = `${directory}/large`
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
const smallSize = sizeOf(small)
const largeSize = sizeOf(large)

const record = Buffer.from(
  JSON.stringify({
    id: "fil_01890000-0000-7000-8000-000000000000",
    name: "small.bin",
    path: "/",
    alias: null,
    contentType: "application/octet-stream",
    etag: '"0123456789abcdef0123456789abcdef"',
    checksum: { sha256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" },
    version: 1,
    state: "READY",
    metadata: {},
    headers: [],
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z"
  })
)

const sendJson = (response: ServerResponse, status: number, body: Buffer): void => {
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length })
  response.end(body)
}

const sendError = (response: ServerResponse, error: unknown): void =>
  sendJson(response, 500, Buffer.from(JSON.stringify({ error: String(error) })))

const sendSmall = (response: ServerResponse): void =>
  open(small, "r", (openError, descriptor) => {
    if (openError !== null) return sendError(response, openError)
    const buffer = Buffer.allocUnsafe(smallSize)
    read(descriptor, buffer, 0, smallSize, 0, (readError) =>
      close(descriptor, (closeError) => {
        if (readError !== null || closeError) return sendError(response, readError ?? closeError)
        response.writeHead(200, { "content-type": "application/octet-stream", "content-length": smallSize })
        response.end(buffer)
      })
    )
  })

const sendLarge = (response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": largeSize })
  createReadStream(large)
    .on("error", (error) => response.destroy(error))
    .pipe(response)
}

const sendHash = (response: ServerResponse, stored: Promise<string>): Promise<void> =>
  stored.then(
    (sha256) => sendJson(response, 201, Buffer.from(JSON.stringify({ sha256 }))),
    (error: unknown) => sendError(response, error)
  )

const storeForm = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const form = busboy({ headers: request.headers })
    let stored: Promise<string> | undefined
    form.on("file", (_name, part) => {
      stored = DurableStore.store(part, directory)
    })
    form.on("error", reject)
    form.on("close", () => (stored === undefined ? reject(new Error("The form has no file.")) : resolve(stored)))
    request.pipe(form)
  })

const server = createServer((request, response) => {
  switch (request.url) {
    case "/constant":
      return sendJson(response, 200, record)
    case "/small":
      return sendSmall(response)
    case "/large":
      return sendLarge(response)
    case "/raw":
      return void sendHash(response, DurableStore.store(request, directory))
    case "/form":
      return void sendHash(response, storeForm(request))
    default:
      return sendJson(response, 404, Buffer.from("{}"))
  }
})
server.requestTimeout = 0

server.listen(0, "127.0.0.1", () => process.send?.(server.address()))
process.on("disconnect", () => process.exit())
