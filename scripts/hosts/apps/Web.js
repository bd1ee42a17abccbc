/**
 * A server of Bun or Deno.
 */
import { toWebHandler } from "@holdfast/http"
import { announce, page, script, start } from "./Store.js"

const { authenticate, holdfast, uploadAddress, viewAddress } = await start()
const store = toWebHandler(holdfast, { prefix: "/store", authenticate })
const send = (type, body) => new Response(body, { headers: { "content-type": type } })

const handler = async (request) => {
  const [, route, id] = new URL(request.url).pathname.split("/")
  if (route === "store") return store(request)
  if (route === "") return send("text/html", page)
  if (route === "page.js") return send("text/javascript", script())
  if (route === "links") return Response.json(await viewAddress(id))
  if (route !== "addresses") return new Response(null, { status: 404 })
  return Response.json(await uploadAddress(await request.json()))
}

if ("Bun" in globalThis) {
  const { port } = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: handler })
  announce(port)
} else {
  const { addr } = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler)
  announce(addr.port)
}
