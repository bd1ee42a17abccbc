import { assert, describe, it, vi } from "@effect/vitest"
import { requires } from "@holdfast/testing/Requires"
import * as Certificate from "@holdfast/testing/servers/Certificate"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { createServer } from "node:https"
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net"
import { fileURLToPath } from "node:url"
import * as AzureBlobStore from "../src/AzureBlobStore.ts"
import * as Keys from "./support/Keys.ts"
import * as Service from "./support/Service.ts"

// A server is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** Lets a server listen on a port of its own until the scope closes; gives the port. */
const listen = (server: Server, end: () => void) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        end()
      })
  )

const run = (program: string, endpoint: string, cert: string) =>
  Effect.callback<string, Error>((resume) => {
    const path = fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url))
    const env = { PATH: process.env["PATH"], NODE_EXTRA_CA_CERTS: cert }
    const child = execFile(process.execPath, [path, endpoint], { env }, (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.fail(error))
    )
    return Effect.sync(() => child.kill())
  })

requires(Certificate.missing).describe("AzureBlobStore over TLS", () => {
  it.live("sends a token, and gives up on a service that says nothing more", () =>
    Effect.gen(function* () {
      const { cert, file, key } = yield* Certificate.make
      const tokens: Array<string | undefined> = []
      const server = createServer({ cert, key }, (request, response) => {
        tokens.push(request.headers.authorization)
        if (request.method === "PUT") request.resume().on("end", () => Service.created(response))
      })
      const port = yield* listen(server, () => server.closeAllConnections())
      const told = yield* run("secured", `https://127.0.0.1:${port}`, file)
      assert.deepStrictEqual(JSON.parse(told), { size: 5, reason: "Unavailable" })
      assert.strictEqual(tokens[0], "Bearer a-token")
    })
  )
})

describe("AzureBlobStore over TLS that does not come about", () => {
  it.live("gives up on a connection that does not open", () =>
    Effect.gen(function* () {
      const server = createTcpServer((socket) => socket.on("error", () => {}).resume())
      const port = yield* listen(server, () => {})
      const { account } = Service
      const store = yield* AzureBlobStore.make({
        ...account,
        endpoint: `https://127.0.0.1:${port}`,
        container: "container",
        maxAttempts: 1,
        connectTimeout: "50 millis",
        idleTimeout: "1 hour"
      })
      assert.strictEqual((yield* Effect.flip(store.stat(Keys.key(0)))).reason, "Unavailable")
    })
  )
})
