/**
 * Starts the gallery on port 3000, or on `PORT`. Health and metrics are on port 8081, or on `OPERATOR_PORT`.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { toOperatorListener } from "@holdfast/http"
import { sqlite } from "@holdfast/sqlite"
import { createServer } from "node:http"
import * as App from "./App.ts"

const holdfast = await open({
  metadata: sqlite({ file: "gallery/holdfast.sqlite" }),
  blobs: fs({ directory: "gallery" })
})
const app = await App.make(holdfast)
const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1")
// Node ends a request after 5 minutes by default. The API itself ends an upload that makes no progress.
server.requestTimeout = 0
const operator = createServer(toOperatorListener(holdfast))
operator.listen(Number(process.env["OPERATOR_PORT"] ?? 8081), "127.0.0.1")
process.once("SIGTERM", () => {
  operator.close()
  server.close(() => void holdfast.close())
})
