/**
 * Where Holdfast is expected to run, each with a check of an app that has installed the published packages.
 */
import { createClient } from "../../packages/http/src/client/index.ts"
import type { HostApp, Served } from "./HostApp.ts"
import * as Visit from "./Visit.ts"

type Browser = Parameters<typeof Visit.check>[0]

export interface Host {
  readonly name: string
  readonly check: (app: HostApp, browser: Browser | undefined) => Promise<void>
}

const expectEqual = (actual: unknown, expected: unknown): void => {
  if (actual !== expected) throw new Error(`expected ${String(expected)}, got ${String(actual)}`)
}

/** Says to a program that this is Ada, whom its API permits everything. A browser does not say who it is. */
const fetchAsAda: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set("x-visitor", "ada")
  return fetch(input, { ...init, headers })
}

/** Uploads a file through the API of a program, and reads it by a link. */
const upload = async ({ url }: Served): Promise<void> => {
  const client = createClient({ url: `${url}/store`, fetch: fetchAsAda })
  const { items } = await client.tenants.list()
  const tenantId = items[0]?.id ?? ""
  const { id: bucketId } = await client.buckets.create({ tenantId, name: "files" })
  const ref = { tenantId, bucketId }
  const content = "x".repeat(300_000)
  const { id: fileId } = await client.files.upload({ ...ref, name: "a.txt", content })
  const link = await client.files.signedUrl({ ...ref, fileId, expiresIn: 60 })
  expectEqual(await (await fetch(new URL(link.url, url))).text(), content)
  const range = await client.files.read({ ...ref, fileId, range: { suffix: 5 } })
  expectEqual(await range.text(), "xxxxx")
}

/** Uses the API of a program, then its page in a browser. */
const use = (browser: Browser | undefined) => async (served: Served) => {
  await upload(served)
  if (browser !== undefined) await Visit.check(browser, served)
}

/** Returns a host that runs one of the programs, on this Node.js unless another runtime is given. */
const program = (name: string, file: string, runtime?: (app: HostApp) => ReadonlyArray<string>): Host => ({
  name,
  check: (app, browser) => app.serve([...(runtime?.(app) ?? [process.execPath]), file], use(browser))
})

/** A dependency is CommonJS, and esbuild gives an ES module no `require`. */
const requireInModules =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'

const esbuild = (format: "esm" | "cjs"): Host => ({
  name: `esbuild, ${format}`,
  check: async (app, browser) => {
    const output = `out/esbuild.${format === "esm" ? "mjs" : "cjs"}`
    const banner = format === "esm" ? [`--banner:js=${requireInModules}`] : []
    const options = ["--bundle", "--platform=node", "--target=node22", `--format=${format}`, ...banner]
    const bin = app.path("node_modules/@esbuild/linux-x64/bin/esbuild")
    await app.run(bin, "NodeHttp.js", ...options, `--outfile=${output}`)
    await app.serve([process.execPath, output], use(browser))
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
    check: async (app, browser) => {
      await app.run(process.execPath, "node_modules/next/dist/bin/next", "build", "next")
      const start = [process.execPath, "node_modules/next/dist/bin/next", "start", "next", "-p", "0"]
      await app.serve(start, use(browser))
    }
  },
  program("Bun", "Web.js", (app) => [app.path("node_modules/@oven/bun-linux-x64/bin/bun")]),
  program("Deno", "Web.js", (app) => [app.path("node_modules/@deno/linux-x64-glibc/deno"), "run", "--allow-all"]),
  esbuild("esm"),
  esbuild("cjs"),
  {
    name: "Vite: a server",
    check: async (app, browser) => {
      const vite = ["node_modules/vite/bin/vite.js", "build", "--logLevel", "error", "--config", "vite.config.js"]
      await app.run(process.execPath, ...vite, "--ssr", "NodeHttp.js", "--outDir", "out/vite")
      await app.serve([process.execPath, "out/vite/NodeHttp.js"], use(browser))
    }
  },
  types("nodenext", "nodenext"),
  types("node16", "node16"),
  types("esnext", "bundler")
]
