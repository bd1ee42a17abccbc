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

/** Returns imports of Node's modules and calls of `require`, but not the `getBuiltinModule` by which Effect detects Node. */
const findNodeImports = (code: string): ReadonlyArray<string> =>
  code.match(/.{0,60}(?:(?<!getBuiltinModule\?\.\()["']node:|\brequire\().{0,60}/g) ?? []

it("bundle: createClient → no module of Node or Effect, less than 16 KiB", async () => {
  const { code } = await bundle('export { createClient, HoldfastError } from "@holdfast/http/client"')
  expect(code).toContain("createClient")
  expect(findNodeImports(code)).toEqual([])
  expect(code).not.toContain("effect/")
  expect(code.length).toBeLessThan(16 * 1024)
})

it("bundle: HoldfastClient → no module of Node", async () => {
  const { code } = await bundle(`
    import { HoldfastClient } from "@holdfast/http/client"
    import * as FetchHttpClient from "effect/http/FetchHttpClient"
    export { HoldfastClient, FetchHttpClient }
  `)
  expect(code.includes("urn:holdfast:problem:")).toBe(true)
  expect(findNodeImports(code)).toEqual([])
})
