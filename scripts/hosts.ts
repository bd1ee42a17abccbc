/**
 * `pnpm hosts [name…]`: builds and runs an app in every framework, bundler and runtime that Holdfast supports, from the packages
 * as they are published. A server also shows a page in Chromium, if that is installed. Prints one line for each; exits with 1 if
 * one fails.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Browser from "../packages/testing/src/Browser.ts"
import * as HostApp from "./hosts/HostApp.ts"
import { hosts } from "./hosts/Hosts.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const wanted = process.argv.slice(2)
const chosen = hosts.filter(({ name }) => wanted.length === 0 || wanted.some((text) => name.includes(text)))
const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-hosts-"))
const browser = Browser.missing === undefined ? await Browser.launch() : undefined
if (browser === undefined) print(`skipped  all pages: ${Browser.missing}`)
try {
  const app = await HostApp.make(directory)
  for (const { check, name } of chosen) {
    const started = performance.now()
    try {
      await check(app, browser)
      print(`passed  ${name}  (${((performance.now() - started) / 1000).toFixed(1)} s)`)
    } catch (error) {
      process.exitCode = 1
      print(`FAILED  ${name}\n${error instanceof Error ? error.message : String(error)}`)
    }
  }
} finally {
  await browser?.close()
  Fs.rmSync(directory, { recursive: true, force: true })
}
