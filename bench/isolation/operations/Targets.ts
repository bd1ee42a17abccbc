/**
 * Mirrors whose targets answer as slowly as a connection permits.
 */
import { createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as Mirrors from "../../support/fixtures/Mirrors.ts"
import { sequence } from "../../support/load/LoadJob.ts"
import * as Requests from "../../support/load/Requests.ts"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"

/** Serves until the scope closes: sends a status line, then one header line in twenty seconds. Returns the URL. */
const serveSlowly = Effect.map(
  Effect.acquireRelease(
    Effect.callback<{ readonly close: () => void; readonly port: number }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.write("HTTP/1.1 200 OK\r\n")
        const timer = setInterval(() => socket.write("x-slow: yes\r\n"), 20_000)
        socket.once("close", () => {
          clearInterval(timer)
          sockets.delete(socket)
        })
        socket.resume()
      }).listen(0, "127.0.0.1", () => {
        const close = () => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }
        resume(Effect.succeed({ close, port: (server.address() as AddressInfo).port }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ),
  ({ port }) => `http://127.0.0.1:${port}`
)

export const slowTargets: Operation = {
  name: "slow-targets",
  description: "24 mirrors whose target sends one header line in 20 s, and a client that creates one with a check",
  prepare: Effect.fnUntraced(function* (site) {
    const gateway = { ...Mirrors.unreachable, endpoint: yield* serveSlowly }
    const { attacker, service } = site
    const bucketId = yield* attacker.createBucket(site.uniqueName("slow-targets"))
    const requests = [Requests.postForm(attacker.path(`buckets/${bucketId}/files/upload`), `${sequence}.bin`, 1024)]
    const job = { port: service.port, requests, connections: 4, status: 201, firstNumber: 0 }
    yield* service.runLoad({ ...job, count: 100 })
    for (let number = 0; number < 24; number++) yield* Mirrors.create(service, bucketId, gateway, `slow-${number}`)
    const body = { ...gateway, type: "S3", name: "checked", region: "us-east-1", bucketName: "b", forcePathStyle: true }
    const url = site.url(attacker.path(`buckets/${bucketId}/mirrors`))
    const work = Calls.call("POST", url, JSON.stringify(body)).pipe(
      Effect.map((answer) => `POST of a mirror: ${Calls.describe([answer])}`),
      Effect.timeoutOrElse({
        duration: "60 seconds",
        orElse: () => Effect.succeed("POST of a mirror: no answer within 60 s")
      })
    )
    return { work }
  })
}
