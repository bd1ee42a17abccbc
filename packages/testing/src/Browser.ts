/**
 * Starts a real browser for tests: the machine's Chromium, headless.
 */
import { type Browser, chromium } from "playwright-core"
import * as Fs from "node:fs"

const candidates = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const executable = candidates.find((path) => Fs.existsSync(path))

/** Why the browser cannot run; undefined if it can. */
export const missing: string | undefined = executable === undefined ? "chromium is not installed" : undefined

/** Options that stop the browser from contacting its vendor's servers, which a test does not need. */
const options = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** Starts a browser. The caller closes it. */
export const launch = (...flags: ReadonlyArray<string>): Promise<Browser> =>
  chromium.launch({
    headless: true,
    args: [...options, ...flags],
    ...(executable === undefined ? {} : { executablePath: executable })
  })
