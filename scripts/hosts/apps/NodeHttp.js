import { toNodeListener } from "@holdfast/http"
import { createServer } from "node:http"
import { announce, start } from "./Store.js"

// Without a top-level await, which a bundle for CommonJS cannot have.
void start().then(({ authenticate, holdfast }) => {
  const server = createServer(toNodeListener(holdfast, { prefix: "/store", authenticate }))
  server.listen(0, "127.0.0.1", () => announce(server.address().port))
})
