import { toFastify } from "@holdfast/http"
import fastify from "fastify"
import { announce, start } from "./Store.js"

const { authenticate, holdfast } = await start()
const app = fastify()
await app.register(toFastify(holdfast, { authenticate }), { prefix: "/store" })
await app.listen({ host: "127.0.0.1", port: 0 })
announce(app.server.address().port)
