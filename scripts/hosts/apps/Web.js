/**
 * A server of Bun or Deno.
 */
import { toWebHandler } from "@holdfast/http"
import { announce, start } from "./Store.js"

const { authenticate, holdfast } = await start()
const handler = toWebHandler(holdfast, { prefix: "/store", authenticate })
if ("Bun" in globalThis) {
  const { port } = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => handler(request) })
  announce(port)
} else {
  const { addr } = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => handler(request))
  announce(addr.port)
}
