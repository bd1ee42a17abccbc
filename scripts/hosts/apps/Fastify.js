import { toFastify } from "@holdfast/http"
import fastify from "fastify"
import { announce, page, script, start } from "./Store.js"

const { authenticate, holdfast, uploadAddress, viewAddress } = await start()
const app = fastify()
await app.register(toFastify(holdfast, { authenticate }), { prefix: "/store" })
app.get("/", (_, reply) => reply.type("text/html").send(page))
app.get("/page.js", (_, reply) => reply.type("text/javascript").send(script()))
app.get("/links/:id", ({ params }) => viewAddress(params.id))
app.post("/addresses", ({ body }) => uploadAddress(body))
await app.listen({ host: "127.0.0.1", port: 0 })
announce(app.server.address().port)
