/**
 * A service that answers as a test says: for what no healthy one does.
 */
import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Redacted from "effect/Redacted"
import * as S3BlobStore from "../../src/S3BlobStore.ts"
import type * as S3Options from "../../src/S3Options.ts"

/** A request, with the whole of its body. */
export interface Received {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

type Answer = (request: Received, response: ServerResponse) => void

/** An error as S3 tells it. */
export const refuse =
  (status: number, code: string): Answer =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "application/xml" }).end(`<Error><Code>${code}</Code></Error>`)

/** A store on a service, and what that has received; until the scope closes. */
export const open = (answer: Answer, options: Partial<S3Options.Options> = {}) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { headers, method = "", url = "/" } = request
            const whole = { method, url: new URL(url, "http://service"), headers, body: Buffer.concat(chunks) }
            received.push(whole)
            answer(whole, response)
          })
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const { port } = server.address() as AddressInfo
    const store = yield* S3BlobStore.make({
      bucket: "bucket",
      region: "us-east-1",
      endpoint: `http://127.0.0.1:${port}`,
      forcePathStyle: true,
      credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("secret") },
      maxAttempts: 1,
      ...options
    })
    const seen = () => received.map(({ method, url }) => `${method} ${[...url.searchParams.keys()].join()}`.trim())
    return { store, received, seen }
  })
