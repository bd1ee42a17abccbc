/**
 * Where Holdfast is expected to run, each with a check of an app that has installed the published packages.
 */
import { createClient } from "../../packages/http/src/client/index.ts"
import * as Browser from "../../packages/testing/src/Browser.ts"
import type { HostApp } from "./HostApp.ts"

export interface Host {
  readonly name: string
  readonly check: (app: HostApp) => Promise<void>
}

const expectEqual = (actual: unknown, expected: unknown): void => {
  if (actual !== expected) throw new Error(`expected ${String(expected)}, got ${String(actual)}`)
}

/** Creates a bucket in the tenant of a host, through its API. The host identifies the caller itself. */
const createBucket = async (url: string) => {
  const client = createClient({ url: `${url}/store` })
  const { items } = await client.tenants.list()
  const tenantId = items[0]?.id ?? ""
  const { id: bucketId } = await client.buckets.create({ tenantId, name: "files" })
  return { client, ref: { tenantId, bucketId } }
}

/** Uploads a file, and reads it by a link. */
const upload = async (url: string): Promise<void> => {
  const { client, ref } = await createBucket(url)
  const content = "x".repeat(300_000)
  const { id: fileId } = await client.files.upload({ ...ref, name: "a.txt", content })
  const link = await client.files.signedUrl({ ...ref, fileId, expiresIn: 60 })
  expectEqual(await (await fetch(new URL(link.url, url))).text(), content)
  const range = await client.files.read({ ...ref, fileId, range: { suffix: 5 } })
  expectEqual(await range.text(), "xxxxx")
}

/** Uploads a file in Chromium, follows the link that the page shows, and looks for an API key in all that the browser has. */
const uploadInBrowser = async (url: string): Promise<void> => {
  const { ref } = await createBucket(url)
  const browser = await Browser.launch()
  try {
    const page = await browser.newPage()
    const seen: Array<string> = []
    page.on("request", (request) => seen.push(`${request.url()} ${JSON.stringify(request.headers())}`))
    await page.goto(`${url}/?tenant=${ref.tenantId}&bucket=${ref.bucketId}`)
    const file = { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") }
    await page.locator("input[type=file]").setInputFiles(file)
    const link = page.locator("a", { hasText: "a.txt" })
    await link.waitFor()
    seen.push(
      await page.content(),
      String(await page.evaluate("JSON.stringify([{ ...localStorage }, document.cookie])"))
    )
    await link.click()
    await page.waitForURL(/\/view\?/)
    expectEqual(await page.locator("body").textContent(), "Hello")
    // A link has a key of its own, `hfl_…`, for one file.
    expectEqual(
      seen.find((text) => /hf_[\w-]{49}/.test(text)),
      undefined
    )
  } finally {
    await browser.close()
  }
}

/** Returns a host that runs one of the programs, on this Node.js unless another runtime is given. */
const program = (name: string, file: string, runtime?: (app: HostApp) => ReadonlyArray<string>): Host => ({
  name,
  check: (app) => app.serve([...(runtime?.(app) ?? [process.execPath]), file], upload)
})

/** A dependency is CommonJS, and esbuild gives an ES module no `require`. */
const requireInModules =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'

const esbuild = (format: "esm" | "cjs"): Host => ({
  name: `esbuild, ${format}`,
  check: async (app) => {
    const output = `out/esbuild.${format === "esm" ? "mjs" : "cjs"}`
    const banner = format === "esm" ? [`--banner:js=${requireInModules}`] : []
    const options = ["--bundle", "--platform=node", "--target=node22", `--format=${format}`, ...banner]
    const bin = app.path("node_modules/@esbuild/linux-x64/bin/esbuild")
    await app.run(bin, "NodeHttp.js", ...options, `--outfile=${output}`)
    await app.serve([process.execPath, output], upload)
  }
})

const node = (path: string) => (app: HostApp) => [app.path(`node_modules/${path}/bin/node`)]

const types = (module: string, moduleResolution: string): Host => ({
  name: `TypeScript, ${moduleResolution}`,
  check: async (app) => {
    const options = `--noEmit --strict --exactOptionalPropertyTypes --target es2022 --lib es2024,dom,dom.iterable,dom.asynciterable,esnext.disposable --types node`
    const resolution = ["--skipLibCheck", "false", "--module", module, "--moduleResolution", moduleResolution]
    await app.run(process.execPath, "node_modules/typescript/bin/tsc", ...options.split(" "), ...resolution, "Types.ts")
  }
})

export const hosts: ReadonlyArray<Host> = [
  program("node:http", "NodeHttp.js"),
  program("node:http, Node.js 22", "NodeHttp.js", node("node22")),
  {
    name: "Node.js 20: one line that names the version",
    check: async (app) => {
      const command = [...node("node20")(app), "node_modules/@holdfast/http/dist/main.js"] as const
      const [path = "", ...args] = command
      const failure = await app.run(path, ...args).then(String, (error: unknown) => String(error))
      const line = /holdfast: needs Node\.js 22\.19 or newer; this is v20\.[\d.]+\.\n$/
      if (!line.test(failure)) throw new Error(failure)
      const library = await app.run(path, "NodeHttp.js").then(String, (error: unknown) => String(error))
      if (!/Error: Holdfast needs Node\.js 22\.19 or newer/.test(library)) throw new Error(library)
    }
  },
  program("Express", "Express.js"),
  program("Fastify", "Fastify.js"),
  program("Hono", "Hono.js"),
  program("Nest", "Nest.js"),
  {
    name: "Next.js, app router: build and start",
    check: async (app) => {
      await app.run(process.execPath, "node_modules/next/dist/bin/next", "build", "next")
      const start = [process.execPath, "node_modules/next/dist/bin/next", "start", "next", "-p", "0"]
      await app.serve(start, upload)
      if (Browser.missing === undefined) await app.serve(start, uploadInBrowser)
    }
  },
  program("Bun", "Web.js", (app) => [app.path("node_modules/@oven/bun-linux-x64/bin/bun")]),
  program("Deno", "Web.js", (app) => [app.path("node_modules/@deno/linux-x64-glibc/deno"), "run", "--allow-all"]),
  esbuild("esm"),
  esbuild("cjs"),
  {
    name: "Vite: a server, and a page",
    check: async (app) => {
      const vite = ["node_modules/vite/bin/vite.js", "build", "--logLevel", "error"]
      await app.run(
        process.execPath,
        ...vite,
        "--config",
        "vite.config.js",
        "--ssr",
        "NodeHttp.js",
        "--outDir",
        "out/vite"
      )
      await app.serve([process.execPath, "out/vite/NodeHttp.js"], upload)
      await app.run(process.execPath, ...vite, "--config", "vite.page.config.js", "--outDir", "out/page")
    }
  },
  types("nodenext", "nodenext"),
  types("node16", "node16"),
  types("esnext", "bundler")
]
