import { serve } from "@hono/node-server"
import { toWebHandler } from "@holdfast/http"
import { Hono } from "hono"
import { announce, start } from "./Store.js"

const { authenticate, holdfast } = await start()
const handler = toWebHandler(holdfast, { prefix: "/store", authenticate })
const app = new Hono()
app.all("/store/*", (context) => handler(context.req.raw, context))
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => announce(port))
