import { serve } from "@hono/node-server"
import { toWebHandler } from "@holdfast/http"
import { Hono } from "hono"
import { announce, page, script, start } from "./Store.js"

const { authenticate, holdfast, uploadAddress, viewAddress } = await start()
const handler = toWebHandler(holdfast, { prefix: "/store", authenticate })
const app = new Hono()
app.all("/store/*", (context) => handler(context.req.raw, context))
app.get("/", (context) => context.html(page))
app.get("/page.js", (context) => context.body(script(), 200, { "content-type": "text/javascript" }))
app.get("/links/:id", async (context) => context.json(await viewAddress(context.req.param("id"))))
app.post("/addresses", async (context) => context.json(await uploadAddress(await context.req.json())))
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => announce(port))
