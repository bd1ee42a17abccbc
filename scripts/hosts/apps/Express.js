import { toNodeListener } from "@holdfast/http"
import express from "express"
import { announce, page, script, start } from "./Store.js"

const { authenticate, holdfast, uploadAddress, viewAddress } = await start()
const app = express()
app.use("/store", toNodeListener(holdfast, { authenticate }))
app.get("/", (_, response) => response.send(page))
app.get("/page.js", (_, response) => response.type("js").send(script()))
app.get("/links/:id", async ({ params }, response) => response.json(await viewAddress(params.id)))
app.post("/addresses", express.json(), async ({ body }, response) => response.json(await uploadAddress(body)))
const server = app.listen(0, "127.0.0.1", () => announce(server.address().port))
