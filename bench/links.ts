/**
 * Measures how long creating a link takes: `node bench/links.ts`.
 *
 * One process opens the library on SQLite and creates links to one file, each with its permission check, one after the other. Prints the
 * processor time of a link.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import { join } from "node:path"
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"

const links = 20_000
const rounds = 7

const directory = Fs.mkdtempSync(join(Os.tmpdir(), "holdfast-links-"))
try {
  await using holdfast = await open({
    metadata: sqlite({ file: join(directory, "app.sqlite") }),
    blobs: fs({ directory: join(directory, "files") })
  })
  const { key } = await holdfast.keys.create(holdfast.system(), { email: "ada@example.com", name: "bench" })
  const actor = holdfast.as(key)
  const { id: tenantId } = await holdfast.tenants.create(actor, { name: "Bench", subdomain: "bench" })
  const { id: bucketId } = await holdfast.buckets.create(actor, { tenantId, name: "bench" })
  const file = await holdfast.files.upload(actor, { tenantId, bucketId, name: "a.txt", content: "Hello" })
  const input = { tenantId, bucketId, fileId: file.id, expiresIn: 3600 }
  const results: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    for (let count = 0; count < links; count++) await holdfast.files.signedUrl(actor, input)
    const { system, user } = process.cpuUsage(before)
    results.push((user + system) / links)
  }
  const sorted = results.toSorted((a, b) => a - b)
  process.stdout.write(`µs of processor time for a link: ${sorted.map((one) => one.toFixed(1)).join(" ")}\n`)
  process.stdout.write(`median: ${(sorted[(rounds - 1) / 2] ?? Number.NaN).toFixed(1)}\n`)
} finally {
  Fs.rmSync(directory, { recursive: true, force: true })
}
