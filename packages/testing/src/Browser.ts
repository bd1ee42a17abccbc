/**
 * Starts a real browser for tests: the machine's Chromium, headless.
 *
 * With `HOLDFAST_BROWSER=headless-shell` it is Chromium's headless shell, where that is installed: the same engine, network and media,
 * without the window of the browser and the pages of its own that Chromium loads for each window. It takes less than half of the processor
 * time. The suite uses it; `pnpm players`, `pnpm uploads` and `pnpm hosts` use Chromium.
 */
import { type Browser, chromium } from "playwright-core"
import * as Fs from "node:fs"

const find = (candidates: ReadonlyArray<string>): string | undefined => candidates.find((path) => Fs.existsSync(path))

const browser = find(["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"])

const shell =
  process.env["HOLDFAST_BROWSER"] === "headless-shell" ? find(["/usr/bin/chromium-headless-shell"]) : undefined

/** Why the browser cannot run; undefined if it can. */
export const missing: string | undefined = browser === undefined ? "chromium is not installed" : undefined

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

const launchFrom =
  (executable: string | undefined) =>
  (...flags: ReadonlyArray<string>): Promise<Browser> =>
    chromium.launch({
      headless: true,
      args: [...options, ...flags],
      ...(executable === undefined ? {} : { executablePath: executable })
    })

/** Starts a browser. The caller closes it. */
export const launch: (...flags: ReadonlyArray<string>) => Promise<Browser> = launchFrom(shell ?? browser)

/** Starts Chromium itself, for what the headless shell lacks, such as the viewer of PDFs. The caller closes it. */
export const launchChromium: (...flags: ReadonlyArray<string>) => Promise<Browser> = launchFrom(browser)
