/**
 * Runs the scripts of the pages, as they are written there, in Chromium or in Node.js. Another test parses all of them.
 */
import { open } from "@holdfast/core"
import { toNodeListener } from "@holdfast/http"
import * as Browser from "@holdfast/testing/Browser"
import { inMemory } from "@holdfast/testing/InMemory"
import * as Requires from "@holdfast/testing/Requires"
import { build } from "esbuild"
import express from "express"
import { once } from "node:events"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as TusClient from "tus-js-client"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

const root = Path.join(import.meta.dirname, "../../../..")

/** The scripts that do not run here, by page and number, with the reason. */
const notRun: Readonly<Record<string, string>> = {
  "docs/players.md 1": "Controls.test.ts sends such messages to a player",
  "docs/players.md 2": "Elements.test.ts sets a theme, and Controls.test.ts applies such rules to a player",
  "docs/runtimes.md 1": "scripts/hosts builds and runs such an app",
  "docs/runtimes.md 2": "scripts/hosts builds and runs such an app",
  "docs/s3.md 1": "Multipart.test.ts makes such requests"
}

const run = new Set([
  "docs/browsers.md 1",
  "docs/links.md 1",
  "docs/links.md 2",
  "docs/uploads.md 1",
  "docs/uploads.md 2"
])

/** Returns the scripts, by page and number. */
const findScripts = async (): Promise<ReadonlyMap<string, string>> => {
  const scripts = new Map<string, string>()
  for await (const page of Fs.glob(["README.md", "docs/**/*.md", "packages/**/README.md"], {
    cwd: root,
    exclude: (path) => path.includes("node_modules")
  })) {
    const text = await Fs.readFile(Path.join(root, page), "utf8")
    const found = [...text.matchAll(/^```js\n(.*?)^```/gms)]
    found.forEach(([, code = ""], index) => scripts.set(`${page} ${index + 1}`, code))
  }
  return scripts
}

const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => undefined).constructor

let scripts: ReadonlyMap<string, string>
let server: TestServer.TestServer
let bucket: { readonly tenantId: string; readonly bucketId: string }

beforeAll(async () => {
  scripts = await findScripts()
  server = await TestServer.start()
  bucket = await server.makeBucket()
})
afterAll(() => server.close())

const contentOf = async (fileId: string) => {
  const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files/${fileId}/view`
  return (await server.get(path)).text()
}

it("every script of a page → run, or in the list of those that are not", () => {
  expect([...scripts.keys()].toSorted()).toEqual([...run, ...Object.keys(notRun)].toSorted())
})

it("docs/uploads.md 1 → tus-js-client uploads the file", async () => {
  const file = Object.assign(Buffer.from("Hello"), { name: "a.txt", type: "text/plain" })
  const stored = Promise.withResolvers<string>()
  const fields = {
    tus: TusClient,
    file,
    url: server.url,
    key: server.rootKey,
    console: { log: stored.resolve },
    ...bucket
  }
  const script = new AsyncFunction(...Object.keys(fields), scripts.get("docs/uploads.md 1") ?? "")
  await script(...Object.values(fields))
  expect(await contentOf(await stored.promise)).toBe("Hello")
})

/** Returns a script that sets global variables to Uppy and two of its plugins. */
const bundleUppy = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [Path.join(import.meta.dirname, "Uppy.js")],
    bundle: true,
    format: "iife",
    platform: "browser",
    write: false,
    logLevel: "silent"
  })
  return outputFiles[0]?.text ?? ""
}

Requires.requires(Browser.missing).describe("scripts of pages, in Chromium", () => {
  let browser: Awaited<ReturnType<typeof Browser.launch>>
  beforeAll(async () => void (browser = await Browser.launch()), 60_000)
  afterAll(() => browser.close())

  const results = {
    "docs/links.md 1": "return file",
    "docs/links.md 2": "return new Promise((resolve) => { done = (status, file) => resolve(file) })"
  }

  it.each(Object.entries(results))("%s → uploads the chosen file by the link", async (name, result) => {
    const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/upload-links`
    const { url } = await json<{ readonly url: string }>(
      await server.post(path, { json: { path: `/${name}/`, name: "a.txt", maxBytes: 1000, expiresIn: 60 } })
    )
    const page = await browser.newPage()
    try {
      await page.goto(`${server.url}/docs`)
      const file = await page.evaluate<{ readonly id: string }>(`(async () => {
        const url = ${JSON.stringify(url)}
        const input = { files: [new File([${JSON.stringify(name)}], "a.txt")] }
        const bar = {}
        let done
        ${scripts.get(name)}
        ${result}
      })()`)
      expect(await contentOf(file.id)).toBe(name)
    } finally {
      await page.close()
    }
  })

  /** Runs a script of a page that sets up Uppy, at an address. Then a user adds a file. Returns the errors. */
  const runUppy = async (url: string, name: string, fileName: string, fields: object = {}) => {
    const page = await browser.newPage()
    try {
      await page.goto(url)
      await page.evaluate(await bundleUppy())
      return await page.evaluate<ReadonlyArray<string>>(`(async () => {
        const { ${Object.keys(fields).join(", ")} } = ${JSON.stringify(fields)}
        const uppy = new Uppy()
        ${scripts.get(name)}
        uppy.addFile({ name: "${fileName}", type: "image/png", data: new File(["from Uppy"], "${fileName}") })
        const { failed } = await uppy.upload()
        return failed.map(({ error }) => error)
      })()`)
    } finally {
      await page.close()
    }
  }

  it("docs/uploads.md 2 → Uppy uploads a file of the user", async () => {
    const fields = { url: server.url, key: server.rootKey, ...bucket }
    expect(await runUppy(`${server.url}/docs`, "docs/uploads.md 2", "tus.png", fields)).toEqual([])
    const files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const { items } = await json<{ items: ReadonlyArray<{ id: string; name: string }> }>(await server.get(files))
    expect(await contentOf(items.find((item) => item.name === "tus.png")?.id ?? "")).toBe("from Uppy")
  })

  it("docs/browsers.md 1, with its route of Express → Uppy uploads a file of the user, none without a session", async () => {
    const holdfast = await open(inMemory())
    onTestFinished(() => holdfast.close())
    const ada = holdfast.account("ada@example.com")
    const { id: tenantId } = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
    const { id: bucketId } = await holdfast.buckets.create(ada, { tenantId, name: "pictures" })
    const bucketRef = { tenantId, bucketId }
    let session: string | undefined
    const findEmail = (_request: express.Request) => session
    const app = express()
    // oxlint-disable-next-line no-async-endpoint-handlers -- Express 5 handles the rejection.
    app.post("/upload-links", express.json(), async (request, response) => {
      const email = findEmail(request)
      if (email === undefined) return void response.sendStatus(401)
      const terms = { name: request.body.name, contentTypes: ["image/*"], maxBytes: 10_000_000, expiresIn: 600 }
      const link = { ...bucketRef, ...terms, onConflict: "rename", baseUrl: "/storage" } as const
      response.json(await holdfast.files.uploadUrl(holdfast.account(email), link))
    })
    app.use("/storage", toNodeListener(holdfast))
    app.get("/", (_request, response) => void response.send("<!doctype html><title>Upload</title>"))
    const listening = app.listen(0, "127.0.0.1")
    onTestFinished(() => void listening.close())
    await once(listening, "listening")
    const url = `http://127.0.0.1:${Object(listening.address()).port}/`

    expect(await runUppy(url, "docs/browsers.md 1", "stranger.png")).toHaveLength(1)
    session = "ada@example.com"
    expect(await runUppy(url, "docs/browsers.md 1", "ada.png")).toEqual([])
    const { items } = await holdfast.files.list(ada, bucketRef)
    expect(items.map(({ name }) => name)).toEqual(["ada.png"])
  })
})
