/**
 * `pnpm start [options]`: the service with the data in ./data, and ffmpeg for its videos where it can be had.
 */
import { fileURLToPath } from "node:url"
import * as Launcher from "./Launcher.ts"
import * as Needs from "./Needs.ts"

const tell = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

for (const { name } of Needs.meet([Needs.ffmpeg], tell)) {
  tell(`Without ${name} videos are stored but not converted: install it, or set HOLDFAST_FFMPEG to its path.`)
}

Launcher.follow()
const main = new URL("../packages/http/src/main.ts", import.meta.url)
process.argv.splice(1, 1, fileURLToPath(main), "serve")
await import(main.href)
