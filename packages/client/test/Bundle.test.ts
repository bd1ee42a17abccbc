/**
 * What a program that bundles the client gets.
 */
import { build } from "esbuild"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"

/** Returns the bytes of a bundle with these exports, minified and compressed, and the source files in it. */
const bundle = async (contents: string) => {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "browser",
    external: ["react"],
    minify: true,
    metafile: true,
    write: false,
    logLevel: "silent"
  })
  const [output] = Object.values(metafile.outputs)
  const parts = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  const files = parts.map(([path]) => path).filter((path) => path !== "<stdin>")
  return { bytes: gzipSync(outputFiles[0]?.text ?? "", { level: 9 }).length, files }
}

it.each([
  ["createClient, HoldfastError", "@holdfast/client", 6000],
  ["createUploader, uploadTo", "@holdfast/client", 3000],
  ["createUploader, uploadResumable", "@holdfast/client", 4000],
  ["useUploads", "@holdfast/client/react", 2000],
  ["verifyWebhook", "@holdfast/client/webhooks", 1500],
  ["HoldfastUpload, HoldfastPlayer", "@holdfast/client/elements", 6200]
])("bundle: { %s } from %s → at most %i bytes compressed, no code of another project", async (names, from, maximum) => {
  const { bytes, files } = await bundle(`export { ${names} } from "${from}"`)
  expect(bytes).toBeLessThanOrEqual(maximum)
  expect(files.filter((path) => !/packages\/(?:client|http)\/src\/|^(?:\.\.\/)+src\//.test(path))).toEqual([])
})
