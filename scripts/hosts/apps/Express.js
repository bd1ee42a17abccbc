import { toNodeListener } from "@holdfast/http"
import express from "express"
import { announce, start } from "./Store.js"

const { authenticate, holdfast } = await start()
const app = express()
app.use("/store", toNodeListener(holdfast, { authenticate }))
const server = app.listen(0, "127.0.0.1", () => announce(server.address().port))
