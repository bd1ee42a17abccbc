/**
 * `pnpm start [options]`: runs the service with its data in ./data, and installs ffmpeg for videos where it can.
 */
import { fileURLToPath } from "node:url"
import * as Launcher from "./machine/Launcher.ts"
import * as Prerequisites from "./machine/Prerequisites.ts"

const printLine = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

for (const { name } of Prerequisites.install([Prerequisites.ffmpeg], printLine)) {
  printLine(`Without ${name} videos are stored but not converted: install it, or set HOLDFAST_FFMPEG to its path.`)
}

Launcher.stopWhenNpxExits()
const main = new URL("../packages/http/src/main.ts", import.meta.url)
process.argv.splice(1, 1, fileURLToPath(main), "serve")
await import(main.href)
