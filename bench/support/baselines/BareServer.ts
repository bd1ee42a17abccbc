/**
 * The baseline: a process with a node:http server that does the least a file server can do. It knows no key, no
 * database, no range, and stops with the process that started it.
 *
 *     GET  /constant           a constant JSON text, as long as a file's record
 *     GET  /small              open, read, close of `small` in the directory
 *     GET  /large              createReadStream(`large`).pipe(response)
 *     POST /raw                stores the body
 *     POST /form               stores the part of a multipart form that is a file
 */
import busboy from "busboy"
import { close, createReadStream, open, read, statSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as BareStore from "./BareStore.ts"

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

const json = (response: ServerResponse, status: number, body: Buffer): void => {
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length })
  response.end(body)
}

const fail = (response: ServerResponse, error: unknown): void =>
  json(response, 500, Buffer.from(JSON.stringify({ error: String(error) })))

const sendSmall = (response: ServerResponse): void =>
  open(small, "r", (openError, descriptor) => {
    if (openError !== null) return fail(response, openError)
    const buffer = Buffer.allocUnsafe(smallSize)
    read(descriptor, buffer, 0, smallSize, 0, (readError) =>
      close(descriptor, (closeError) => {
        if (readError !== null || closeError) return fail(response, readError ?? closeError)
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

const answer = (response: ServerResponse, stored: Promise<string>): Promise<void> =>
  stored.then(
    (sha256) => json(response, 201, Buffer.from(JSON.stringify({ sha256 }))),
    (error: unknown) => fail(response, error)
  )

const storeForm = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const form = busboy({ headers: request.headers })
    let stored: Promise<string> | undefined
    form.on("file", (_name, part) => {
      stored = BareStore.store(part, directory)
    })
    form.on("error", reject)
    form.on("close", () => (stored === undefined ? reject(new Error("The form has no file.")) : resolve(stored)))
    request.pipe(form)
  })

const server = createServer((request, response) => {
  switch (request.url) {
    case "/constant":
      return json(response, 200, record)
    case "/small":
      return sendSmall(response)
    case "/large":
      return sendLarge(response)
    case "/raw":
      return void answer(response, BareStore.store(request, directory))
    case "/form":
      return void answer(response, storeForm(request))
    default:
      return json(response, 404, Buffer.from("{}"))
  }
})
server.requestTimeout = 0

server.listen(0, "127.0.0.1", () => process.send?.(server.address()))
process.on("disconnect", () => process.exit())
