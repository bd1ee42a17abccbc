/**
 * Measures pages of the service in Chromium: `node bench/pages.ts [--rounds N] [--files N]`.
 *
 * The API reference `/docs`: the first paint with an empty cache, and the bytes of all that it loads. The page of a share of a folder with
 * so many files: the first rows, the way to the last file, the most rows in the document at once, and the memory of the page's scripts.
 * The service runs on SQLite, on the same machine as the browser.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Browser from "@holdfast/testing/Browser"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Api from "./support/fixtures/Api.ts"
import * as Database from "./support/fixtures/Database.ts"
import * as HoldfastProcess from "./support/fixtures/HoldfastProcess.ts"
import * as Seed from "./support/fixtures/Seed.ts"
import * as TemporaryDirectory from "./support/fixtures/TemporaryDirectory.ts"
import * as Tenancy from "./support/fixtures/Tenancy.ts"
import { attempt, BenchFailure } from "./support/run/BenchFailure.ts"
import * as CommonArguments from "./support/run/CommonArguments.ts"
import * as Main from "./support/run/Main.ts"

interface Arguments {
  readonly rounds: number
  readonly files: number
}

type Chromium = Awaited<ReturnType<typeof Browser.launch>>

const usage = [
  "node bench/pages.ts [options]",
  "",
  "  --rounds N   loads of the API reference; 5 when absent",
  "  --files N    files of the shared folder; 100000 when absent",
  "  --help",
  ""
].join("\n")

const parse = (args: ReadonlyArray<string>): Arguments | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "5" },
      files: { type: "string", default: "100000" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return undefined
  return CommonArguments.numbers(values, { rounds: [1], files: [1000] })
}

const Shared = Schema.Struct({ url: Schema.String })

/** Resolves with the first paint, in milliseconds since the navigation began, and with the bytes received until then or later. */
const readPaint = `new Promise((resolve) => {
  const bytes = () => ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
    .reduce((sum, { transferSize }) => sum + transferSize, 0)
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName("first-contentful-paint")
    if (paint !== undefined) resolve({ paint: paint.startTime, bytes: bytes() })
  }).observe({ type: "paint", buffered: true })
})`

const loadReference = async (chromium: Chromium, url: string) => {
  const context = await chromium.newContext()
  try {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: "networkidle" })
    return await page.evaluate<{ readonly paint: number; readonly bytes: number }>(readPaint)
  } finally {
    await context.close()
  }
}

/** Scrolls until the document has the last file. Resolves with the most rows that it had at once. */
const scrollTo = (position: number) => `(async () => {
  let most = 0
  while (document.querySelector('[aria-posinset="${position}"]') === null) {
    scrollTo(0, document.body.scrollHeight)
    most = Math.max(most, document.querySelectorAll("[role=listitem]").length)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return most
})()`

const readHeap = "performance.memory.usedJSHeapSize"

const openShare = async (chromium: Chromium, url: string, files: number) => {
  const context = await chromium.newContext({ bypassCSP: true })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(300_000)
    const started = performance.now()
    await page.goto(url)
    await page.locator("[role=listitem]").first().waitFor()
    const firstRows = performance.now() - started
    const mostRows = await page.evaluate<number>(scrollTo(files))
    const lastRow = performance.now() - started
    return { firstRows, lastRow, mostRows, heap: await page.evaluate<number>(readHeap) }
  } finally {
    await context.close()
  }
}

const run = ({ files, rounds }: Arguments): Effect.Effect<number, BenchFailure> =>
  Effect.gen(function* () {
    if (Browser.missing !== undefined) return yield* new BenchFailure({ message: Browser.missing })
    const directory = join(yield* TemporaryDirectory.make(undefined, 1024 * 1024 * 1024), "holdfast")
    const database = yield* Database.sqlite.create(directory)
    const rootKey = yield* HoldfastProcess.mintRootKey
    const service = yield* HoldfastProcess.start({ directory, database, rootKey })
    const url = `http://127.0.0.1:${service.port}`
    const { createBucket, path, tenantId } = yield* Tenancy.make(service, "pages")
    const bucketId = yield* createBucket("pages")
    // Half of the files are in `/flat/`.
    yield* Database.query(database, Seed.seed([{ tenantId, bucketId, files: 2 * files, ordinal: 0 }]))
    const terms = { name: "bench", path: "/flat/", may: ["view", "list"] }
    const share = yield* Api.requestAs(Shared, "POST", `${url}${path(`buckets/${bucketId}/shares`)}`, terms)

    const launched = attempt("Chromium", () => Browser.launch("--enable-precise-memory-info"))
    const chromium = yield* Effect.acquireRelease(launched, (browser) => Effect.promise(() => browser.close()))
    for (let round = 0; round < rounds; round++) {
      const { bytes, paint } = yield* attempt("The API reference", () => loadReference(chromium, `${url}/docs`))
      yield* Main.print(`/docs: first paint after ${paint.toFixed(0)} ms, ${(bytes / 1000).toFixed(0)} KB\n`)
    }
    const opened = yield* attempt("The page of the share", () =>
      openShare(chromium, new URL(share.url, url).href, files)
    )
    const { firstRows, heap, lastRow, mostRows } = opened
    yield* Main.print(
      `share of ${files} files: first rows after ${firstRows.toFixed(0)} ms, the last after ${(lastRow / 1000).toFixed(1)} s, ` +
        `${mostRows} rows in the document at most, ${(heap / 1024 / 1024).toFixed(0)} MiB of memory\n`
    )
    return 0
  }).pipe(Effect.scoped)

Main.runMain(parse, usage, run)
