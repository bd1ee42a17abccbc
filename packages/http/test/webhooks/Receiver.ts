/**
 * Endpoints of webhooks on the loopback interface, for tests.
 */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** A request as it arrived. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  readonly connections: () => number
  /** Replaces how requests are answered. By default each gets 204. */
  readonly answer: (listener: Http.RequestListener) => void
}

/** Starts a server until the test ends. */
export const start = async (): Promise<Receiver> => {
  const received: Array<Received> = []
  let listener: Http.RequestListener = (_, response) => void response.writeHead(204).end()
  const server = Http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      received.push({ path: request.url ?? "", headers, body: Buffer.concat(chunks).toString() })
      listener(request, response)
    })
  })
  let connections = 0
  server.on("connection", () => connections++)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    connections: () => connections,
    answer: (next) => void (listener = next)
  }
}
