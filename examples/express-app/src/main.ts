/**
 * Starts the gallery on port 3000, or on `PORT`.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import * as App from "./App.ts"

const holdfast = await open({ metadata: sqlite({ file: "gallery.sqlite" }), blobs: fs({ directory: "./gallery" }) })
const app = await App.make(holdfast)
const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1")
// Node ends a request after 5 minutes by default. The API itself ends an upload that makes no progress.
server.requestTimeout = 0
process.once("SIGTERM", () => server.close(() => void holdfast.close()))
