/**
 * A service that answers as a test says: for what no healthy one does.
 */
import * as Effect from "effect/Effect"
import type { Certificate } from "@holdfast/testing/servers/Certificate"
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import * as Redacted from "effect/Redacted"
import * as S3BlobStore from "../../src/S3BlobStore.ts"
import * as S3MirrorTarget from "../../src/S3MirrorTarget.ts"
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
  (status: number, code: string, message?: string): Answer =>
  (_request, response) =>
    void response
      .writeHead(status, { "content-type": "application/xml" })
      .end(`<Error><Code>${code}</Code>${message === undefined ? "" : `<Message>${message}</Message>`}</Error>`)

/** Takes an upload of parts, and then says that the object has so many bytes. */
export const multipart =
  (size: number) =>
  ({ method, url }: Received): { status: number; headers: Record<string, string | number>; body: string } => {
    if (method === "POST" && url.searchParams.has("uploads")) {
      const body = "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"
      return { status: 200, headers: {}, body }
    }
    if (method === "PUT") return { status: 200, headers: { etag: `"${url.searchParams.get("partNumber")}"` }, body: "" }
    if (method === "HEAD") return { status: 200, headers: { "content-length": size }, body: "" }
    if (method === "DELETE") return { status: 204, headers: {}, body: "" }
    // The entity tag is empty, as some services leave it.
    return { status: 200, headers: {}, body: "<CompleteMultipartUploadResult><ETag/></CompleteMultipartUploadResult>" }
  }

/** A service, over TLS if it has a certificate, and what it has received; until the scope closes. */
export const serve = (answer: Answer, certificate?: Certificate) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const listener: RequestListener = (request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { headers, method = "", url = "/" } = request
            const whole = { method, url: new URL(url, "http://service"), headers, body: Buffer.concat(chunks) }
            received.push(whole)
            answer(whole, response)
          })
        }
        const server = certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const { port } = server.address() as AddressInfo
    const seen = () => received.map(({ method, url }) => `${method} ${[...url.searchParams.keys()].join()}`.trim())
    const scheme = certificate === undefined ? "http" : "https"
    return { endpoint: `${scheme}://127.0.0.1:${port}`, received, seen }
  })

/** A store on a service, and what that has received; until the scope closes. */
export const open = (answer: Answer, options: Partial<S3Options.Options> = {}) =>
  Effect.gen(function* () {
    const { endpoint, received, seen } = yield* serve(answer)
    const store = yield* S3BlobStore.make({
      bucket: "bucket",
      region: "us-east-1",
      endpoint,
      forcePathStyle: true,
      credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("secret") },
      maxAttempts: 1,
      ...options
    })
    return { store, received, seen }
  })

/** A mirror's target on a service, and what that has received; until the scope closes. */
export const openMirror = (answer: Answer, options: Partial<S3Options.MirrorOptions> = {}) =>
  Effect.gen(function* () {
    const { endpoint, received, seen } = yield* serve(answer)
    const target = yield* S3MirrorTarget.open({ allowPrivate: true, maxAttempts: 1, ...options })({
      type: "S3",
      bucketName: "bucket",
      region: "us-east-1",
      endpoint,
      forcePathStyle: true,
      accessKeyId: "AKIDOFNOBODY",
      secretAccessKey: Redacted.make("secret-of-nobody")
    })
    return { target, received, seen }
  })
