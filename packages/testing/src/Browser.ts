/**
 * A real browser for tests: Chromium of the machine, without a window.
 */
import { type Browser, chromium } from "playwright-core"
import * as Fs from "node:fs"

const candidates = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const executable = candidates.find((path) => Fs.existsSync(path))

/** What is missing to run it: undefined when nothing is. */
export const missing: string | undefined = executable === undefined ? "chromium is not installed" : undefined

/** Keeps it from looking for servers of its maker, which a test has no use for. */
const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** Starts a browser; the caller closes it. */
export const launch = (...flags: ReadonlyArray<string>): Promise<Browser> =>
  chromium.launch({
    headless: true,
    args: [...quiet, ...flags],
    ...(executable === undefined ? {} : { executablePath: executable })
  })
