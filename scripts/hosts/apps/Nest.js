import { toNodeListener } from "@holdfast/http"
import { Module } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import { announce, start } from "./Store.js"

class App {
  name = "files"
}
Module({})(App)

await import("reflect-metadata")
const { authenticate, holdfast } = await start()
// Nest's own parser would read the bodies of uploads.
const app = await NestFactory.create(App, { bodyParser: false, logger: ["error"] })
app.use("/store", toNodeListener(holdfast, { authenticate }))
await app.listen(0, "127.0.0.1")
announce(app.getHttpServer().address().port)
