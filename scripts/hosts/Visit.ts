/**
 * A visit of the page of a host in Chromium: uploads two files, shows them by links, and looks for an API key in all that the
 * browser sent, received and stored.
 */
import type * as Launcher from "../../packages/testing/src/Browser.ts"
import type { Served } from "./HostApp.ts"
import * as Recorder from "./Recorder.ts"

type Browser = Awaited<ReturnType<typeof Launcher.launch>>

/** The second one is sent by requests that could continue after a cut. */
const files = [
  { name: "small.txt", mimeType: "text/plain", buffer: Buffer.from("Hello from the page") },
  { name: "large.txt", mimeType: "text/plain", buffer: Buffer.alloc(17 * 1024 * 1024, "x") }
]

/** Any API key. Those of links begin with `hfu_` and `hfl_`, and may have `hf_` within. */
const anyApiKey = /(?<![\w-])hf_[\w-]{49}(?![\w-])/

/** Keeps what the page stores: an upload that is complete has removed it again. */
const keepStored = `
  globalThis.stored = []
  const setItem = Storage.prototype.setItem
  Storage.prototype.setItem = function (...entry) {
    globalThis.stored.push(entry)
    setItem.apply(this, entry)
  }`

/** Reads what the page has stored, except what `BrowserContext.storageState` has. */
const readStored = `(async () => JSON.stringify({
  stored,
  session: { ...sessionStorage },
  cookie: document.cookie,
  name: window.name,
  state: history.state,
  caches: await caches.keys()
}))()`

const expect = (condition: boolean, text: string): void => {
  if (!condition) throw new Error(text)
}

/** Fails with the reason if the page of a host does not work, or if the API key of the host reached the browser. */
export const check = async (browser: Browser, host: Served): Promise<void> => {
  const recorder = await Recorder.start(host.url)
  const context = await browser.newContext({ extraHTTPHeaders: { "accept-encoding": "identity" } })
  // By default 30 seconds, which a page takes on a busy machine.
  context.setDefaultTimeout(120_000)
  try {
    await context.addInitScript(keepStored)
    const page = await context.newPage()
    const found: Array<string> = []
    page.on("console", (message) => void found.push(message.text()))
    page.on("pageerror", (error) => void found.push(String(error)))
    await page.goto(recorder.url)
    await page.locator("input[type=file]").setInputFiles(files)
    const show = async ({ buffer, name }: (typeof files)[number]): Promise<void> => {
      const link = page.locator("a", { hasText: name })
      await link.waitFor({ timeout: 60_000 })
      const url = (await link.getAttribute("href")) ?? ""
      const shown = await page.evaluate(`fetch(${JSON.stringify(url)}).then((response) => response.text())`)
      expect(shown === buffer.toString(), `the link shows another content than that of ${name}`)
    }
    await Promise.all(files.map(show))
    found.push(await page.content(), String(await page.evaluate(readStored)))
    found.push(JSON.stringify(await context.storageState({ indexedDB: true })))
    await page.locator("a", { hasText: "small.txt" }).click()
    await page.waitForURL(/\/view\?/)
    expect((await page.locator("body").textContent()) === "Hello from the page", "the page of the link is another one")
    found.push(page.url(), await page.content())

    const sent = recorder.read()
    expect(!sent.some((text) => /content-encoding: (?!identity)/i.test(text)), "a compressed answer cannot be read")
    const all = [...sent, ...found].join("\n")
    for (const text of ["hfu_", "hfl_", "Hello from the page", "upload-offset", '"stored":[["']) {
      expect(all.includes(text), `${text} was not recorded`)
    }
    const me = await fetch(`${host.url}/store/api/v1/me`, { headers: { "x-api-key": host.apiKey() } })
    expect(me.status === 200, `the API key of the host is not valid: ${me.status}`)
    expect(!all.includes(host.apiKey()), "the API key of the host reached the browser")
    expect(!anyApiKey.test(all), "an API key reached the browser")
  } finally {
    await context.close()
    recorder.close()
  }
}
