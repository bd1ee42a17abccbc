import { toNodeListener } from "@holdfast/http"
import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { announce, page, script, start } from "./Store.js"

// Without a top-level await, which a bundle for CommonJS cannot have.
void start().then(({ authenticate, holdfast, uploadAddress, viewAddress }) => {
  const store = toNodeListener(holdfast, { prefix: "/store", authenticate })
  const send = (response, type, body) => response.setHeader("content-type", type).end(body)

  const server = createServer(async (request, response) => {
    const [, route, id] = request.url.split("/")
    if (route === "store") return store(request, response)
    if (route === "") return send(response, "text/html", page)
    if (route === "page.js") return send(response, "text/javascript", script())
    if (route === "links") return send(response, "application/json", JSON.stringify(await viewAddress(id)))
    if (route !== "addresses") return response.writeHead(404).end()
    return send(response, "application/json", JSON.stringify(await uploadAddress(await json(request))))
  })
  server.listen(0, "127.0.0.1", () => announce(server.address().port))
})
