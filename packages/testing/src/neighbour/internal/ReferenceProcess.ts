/**
 * A bare HTTP server in a process of its own. How long its clients wait shows how busy the machine itself is.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const body = Buffer.alloc(4096)

const server = createServer((_, response) => void response.end(body)).listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.on("disconnect", () => process.exit())
