/**
 * A service that answers as a test says: for what no healthy one does.
 */
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, isIPv6 } from "node:net"
import * as AzureBlobStore from "../../src/AzureBlobStore.ts"
import type * as AzureOptions from "../../src/AzureOptions.ts"

/** A request, with the whole of its body. */
export interface Received {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

type Answer = (request: Received, response: ServerResponse) => void

/** An error as Azure tells it. */
export const refuse =
  (status: number, code: string, message = "No."): Answer =>
  ({ method }, response) =>
    void response
      .writeHead(status, { "content-type": "application/xml", "x-ms-error-code": code })
      .end(
        method === "HEAD" ? "" : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
      )

/** That a blob was put, or a block. */
export const created = (response: ServerResponse): void =>
  void response.writeHead(201, { etag: '"0x1"', "last-modified": new Date(0).toUTCString() }).end()

/** A blob of so many bytes, of which some are sent. */
export const blob = (response: ServerResponse, size: number, status = 200): ServerResponse =>
  response.writeHead(status, { etag: '"0x1"', "last-modified": new Date(0).toUTCString(), "content-length": size })

export const account = {
  accountName: "account",
  accountKey: Redacted.make(Buffer.from("a key of the tests").toString("base64"))
}

/** An account at a service on an address of this machine, and what that has received; until the scope closes. */
export const serve = (answer: Answer, address: "127.0.0.1" | "::1" = "127.0.0.1") =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { headers, method = "", url = "/" } = request
            const whole = { method, url: new URL(url, "http://service"), headers, body: Buffer.concat(chunks) }
            received.push(whole)
            answer(whole, response)
          })
        }).listen(0, address, () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const { port } = server.address() as AddressInfo
    const seen = () => received.map(({ method, url }) => `${method} ${url.searchParams.get("comp") ?? ""}`.trim())
    const host = isIPv6(address) ? `[${address}]` : address
    return { account: { ...account, endpoint: `http://${host}:${port}` }, received, seen }
  })

/** A store on a service, and what that has received; until the scope closes. */
export const open = (answer: Answer, options: RequestOptions & AzureOptions.BlockOptions = {}) =>
  Effect.gen(function* () {
    const { account, ...service } = yield* serve(answer)
    const store = yield* AzureBlobStore.make({ ...account, container: "container", maxAttempts: 1, ...options })
    return { store, ...service }
  })
