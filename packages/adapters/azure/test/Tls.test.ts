import { assert, describe, it, vi } from "@effect/vitest"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as TestProgram from "@holdfast/testing/processes/TestProgram"
import { requires } from "@holdfast/testing/Requires"
import * as Certificate from "@holdfast/testing/servers/Certificate"
import * as Effect from "effect/Effect"
import { createServer } from "node:https"
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net"
import * as AzureBlobStore from "../src/AzureBlobStore.ts"
import * as ScriptedAzure from "./support/ScriptedAzure.ts"

// The tests start processes. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** Starts a server until the scope closes. Returns its port. */
const listen = (server: Server, closeConnections: () => void) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        closeConnections()
      })
  )

requires(Certificate.missing).describe("AzureBlobStore over TLS", () => {
  it.live("token → sent; no response → Unavailable after the idle timeout", () =>
    Effect.gen(function* () {
      const { cert, file, key } = yield* Certificate.make
      const tokens: Array<string | undefined> = []
      const server = createServer({ cert, key }, (request, response) => {
        tokens.push(request.headers.authorization)
        if (request.method === "PUT") request.resume().on("end", () => ScriptedAzure.sendCreated(response))
      })
      const port = yield* listen(server, () => server.closeAllConnections())
      const output = yield* TestProgram.run(new URL("programs/put-with-token.ts", import.meta.url), {
        args: [`https://127.0.0.1:${port}`],
        env: { NODE_EXTRA_CA_CERTS: file }
      })
      assert.deepStrictEqual(JSON.parse(output), { size: 5, reason: "Unavailable" })
      assert.strictEqual(tokens[0], "Bearer a-token")
    })
  )
})

describe("AzureBlobStore over TLS that never completes", () => {
  it.live("connection does not open → Unavailable after the connect timeout", () =>
    Effect.gen(function* () {
      const server = createTcpServer((socket) => socket.on("error", () => {}).resume())
      const port = yield* listen(server, () => {})
      const store = yield* AzureBlobStore.make({
        ...ScriptedAzure.account,
        endpoint: `https://127.0.0.1:${port}`,
        container: "container",
        maxAttempts: 1,
        connectTimeout: "50 millis",
        idleTimeout: "1 hour"
      })
      assert.strictEqual((yield* Effect.flip(store.stat(BlobKeys.key(0)))).reason, "Unavailable")
    })
  )
})
