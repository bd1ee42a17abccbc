/**
 * Clients of tus in Chromium upload a file over a line that is cut, to a service that is killed.
 *
 * `HOLDFAST_UPLOADS=all` (`pnpm uploads`) uploads 2 GiB with 20 cuts and 5 kills; otherwise 48 MiB with 3 cuts and a kill.
 */
import * as Browser from "@holdfast/testing/Browser"
import * as Requires from "@holdfast/testing/Requires"
import { build } from "esbuild"
import { createHash, randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import { open } from "node:fs/promises"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { createClient } from "../../../src/client/index.ts"
import * as Process from "../../support/Process.ts"
import * as ServiceBucket from "../../support/ServiceBucket.ts"
import * as CutLine from "./CutLine.ts"

const isLarge = process.env["HOLDFAST_UPLOADS"] === "all"

const mebibyte = 1024 * 1024

const [size, cuts, kills] = isLarge ? [2048 * mebibyte, 20, 5] : [48 * mebibyte, 3, 1]

/** What the service promises: a part of a cut upload has at most so many bytes. */
const mostAgain = 64 * mebibyte

const html = `<!doctype html><html lang="en"><title>Uploads</title><input type="file"><script type="module" src="/page.js"></script></html>`

/** Writes a file of random bytes. Returns its path and its SHA-256. */
const makeFile = async () => {
  const path = Path.join(await Process.makeDirectory(), "video.bin")
  const hash = createHash("sha256")
  const handle = await open(path, "w")
  for (let written = 0; written < size; written += mebibyte) {
    const bytes = randomBytes(mebibyte)
    hash.update(bytes)
    await handle.write(bytes)
  }
  await handle.close()
  return { path, sha256: hash.digest("hex") }
}

const bundlePage = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [Path.join(import.meta.dirname, "Page.js")],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "silent"
  })
  return outputFiles[0]?.text ?? ""
}

Requires.requires(Browser.missing).describe("uploads over a line that is cut, to a service that is killed", () => {
  it.each(["uploadByTus", "uploadByUppy"])(
    `%s, ${size / mebibyte} MiB, ${cuts} cuts, ${kills} kills → SHA-256 right, at most 64 MiB sent again after each`,
    { timeout: isLarge ? 1_200_000 : 120_000 },
    async (method) => {
      const env = { HOLDFAST_ACCESS_LOG: "off" }
      const file = await makeFile()
      const script = await bundlePage()
      const { bucketId, key, service: first, tenantId } = await ServiceBucket.start({ env })
      let service: Process.Service | undefined = first
      const kill = async () => {
        const killed = service
        service = undefined
        await killed?.stop("SIGKILL")
        service = await Process.serve({ data: first.data, env })
      }
      const line = await CutLine.start({
        target: () => service?.url,
        faults: CutLine.distribute(size, cuts, kills),
        kill,
        respond: ({ url }, response) => {
          if (url === "/") response.setHeader("content-type", "text/html").end(html)
          else if (url === "/page.js") response.setHeader("content-type", "text/javascript").end(script)
          return url === "/" || url === "/page.js"
        }
      })
      const client = () => createClient({ url: service?.url ?? "", apiKey: key })
      const browser = await Browser.launch()
      onTestFinished(() => browser.close())
      const page = await browser.newPage()
      await page.goto(line.url)
      await page.locator("input").setInputFiles(file.path)
      const endpoint = `${line.url}/api/v1/tenants/${tenantId}/buckets/${bucketId}/files/uploads`
      const link = await client().files.uploadUrl({ tenantId, bucketId, maxBytes: size, expiresIn: 3600 })
      const linkKey = new URL(link.url).searchParams.get("apiKey")
      const started = performance.now()
      await page.evaluate(`${method}(file(), ${JSON.stringify(endpoint)}, ${JSON.stringify(linkKey)})`)
      const seconds = (performance.now() - started) / 1000

      const { items } = await client().files.list({ tenantId, bucketId })
      expect(items.map(({ name }) => name)).toEqual(["video.bin"])
      const download = await client().files.read({ tenantId, bucketId, fileId: items[0]?.id ?? "" })
      const hash = createHash("sha256")
      for await (const chunk of download.stream()) hash.update(chunk)
      expect(hash.digest("hex")).toBe(file.sha256)

      const faults = line.faults()
      const again = Math.max(...faults.map((fault) => fault.again))
      process.stdout.write(
        `${method}: ${faults.length} faults in ${seconds.toFixed(1)} s, ${line.passed() - size} bytes sent again in all, ` +
          `at most ${again} after one\n`
      )
      expect(faults.map(({ kind }) => kind).toSorted()).toEqual([
        ...Array.from({ length: cuts }, () => "cut"),
        ...Array.from({ length: kills }, () => "kill")
      ])
      expect(again).toBeLessThanOrEqual(mostAgain)
      Fs.rmSync(file.path)
    }
  )
})
