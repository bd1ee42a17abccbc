import { build } from "esbuild"
import { expect, it } from "vitest"

const bundle = async (contents: string): Promise<{ readonly code: string; readonly inputs: ReadonlyArray<string> }> => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "browser",
    minify: true,
    metafile: true,
    write: false,
    logLevel: "silent"
  })
  return { code: outputFiles[0]?.text ?? "", inputs: Object.keys(metafile.inputs) }
}

/** Imports of Node's modules, and calls of CommonJS; but not Effect's look whether it runs in Node. */
const ofNode = (code: string): ReadonlyArray<string> =>
  code.match(/.{0,60}(?:(?<!getBuiltinModule\?\.\()["']node:|\brequire\().{0,60}/g) ?? []

it("createClient is bundled for browsers without Node and without Effect", async () => {
  const { code } = await bundle('export { createClient, HoldfastError } from "@holdfast/http/client"')
  expect(code).toContain("createClient")
  expect(ofNode(code)).toEqual([])
  expect(code).not.toContain("effect/")
  expect(code.length).toBeLessThan(16_000)
})

it("the client for Effect is bundled for browsers without Node", async () => {
  const { code } = await bundle(`
    import { HoldfastClient } from "@holdfast/http/client"
    import * as FetchHttpClient from "effect/http/FetchHttpClient"
    export { HoldfastClient, FetchHttpClient }
  `)
  expect(code.includes("urn:holdfast:problem:")).toBe(true)
  expect(ofNode(code)).toEqual([])
})
