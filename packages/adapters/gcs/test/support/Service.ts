/**
 * A service that answers as a test says: for what no healthy one does. It gives tokens to anybody.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { generateKeyPairSync } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as GcsBlobStore from "../../src/GcsBlobStore.ts"
import type * as GcsOptions from "../../src/GcsOptions.ts"

/** A request, with the whole of its body. */
export interface Received {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

type Answer = (request: Received, response: ServerResponse) => void

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })

/** The document of a service account whose tokens come from an address. */
export const credentials = (tokenUri: string): Redacted.Redacted =>
  Redacted.make(
    JSON.stringify({
      type: "service_account",
      client_email: "somebody@testing.iam.gserviceaccount.com",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      token_uri: tokenUri
    })
  )

const grant = (response: ServerResponse): void =>
  void response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ access_token: "token", expires_in: 3600 }))

/** A store on a service, and what that has received besides requests for tokens; until the scope closes. */
export const open = (answer: Answer, options: Partial<GcsOptions.Options> = {}) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { headers, method = "", url = "/" } = request
            if (url === "/token") return grant(response)
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
    const endpoint = `http://127.0.0.1:${port}`
    const store = yield* GcsBlobStore.make({
      bucket: "bucket",
      endpoint,
      credentials: credentials(`${endpoint}/token`),
      maxAttempts: 1,
      ...options
    })
    return { store, received, endpoint, seen: () => received.map(({ method }) => method) }
  })
