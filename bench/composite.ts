/**
 * Measures a content of many parts: `node bench/composite.ts [--parts N] [--gibibytes N] [--reads N]`.
 *
 * Uploads 10,000 parts of 100 GiB in all, as sparse files of zeros on the disk, with SQLite. Prints the processor time and the growth of the
 * memory of the completion, and the processor time of ranges of 64 KiB at random places as a ratio to a plain content of the same size.
 */
import * as Fs from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { open } from "@holdfast/core"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import * as Layout from "@holdfast/fs/Layout"
import { sqlite } from "@holdfast/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Os from "node:os"

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: "10000" },
    gibibytes: { type: "string", default: "100" },
    reads: { type: "string", default: "2000" }
  }
})
const [parts, reads] = [Number(values.parts), Number(values.reads)]
const partBytes = Math.floor((Number(values.gibibytes) * 1024 ** 3) / parts)
const [rangeBytes, rounds] = [64 * 1024, 5]

const directory = Fs.mkdtempSync(join(Os.tmpdir(), "holdfast-composite-"))
const files = join(directory, "files")
const layout = Layout.make(files)
const zeros = "0".repeat(64)

/** Bytes of the next blob. */
let nextSize = partBytes

/** A disk that stores zeros instead of the bytes that it gets: hashing 100 GiB would take a minute. */
const blobs = Layer.effect(
  BlobStore,
  Effect.map(BlobStore, (store) =>
    BlobStore.of({
      ...store,
      put: (key) =>
        Effect.sync(() => {
          const path = Layout.locate(layout, key)?.path ?? ""
          Fs.mkdirSync(dirname(path), { recursive: true })
          Fs.writeFileSync(path, "")
          Fs.truncateSync(path, nextSize)
          return { size: nextSize, sha256: zeros }
        })
    })
  )
).pipe(Layer.provide(FsBlobStore.layer({ directory: files })))

const cpuMillis = (before?: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

const print = (text: string) => process.stdout.write(`${text}\n`)

try {
  await using holdfast = await open({
    metadata: sqlite({ file: join(directory, "app.sqlite") }),
    blobs: { blobs },
    settings: { maxUploadBytes: 2 * parts * partBytes },
    sweepEvery: false
  })
  const actor = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(actor, { name: "Bench", subdomain: "bench" })
  const { id: bucketId } = await holdfast.buckets.create(actor, { tenantId, name: "bench" })
  const bucket = { tenantId, bucketId }

  const { id: uploadId } = await holdfast.files.createUpload(actor, { ...bucket, name: "composite", mode: "PARTS" })
  const ref = { ...bucket, uploadId }
  for (let number = 1; number <= parts; number++) await holdfast.uploads.putPart(actor, { ...ref, number, content: "" })
  nextSize = parts * partBytes
  const plain = await holdfast.files.upload(actor, { ...bucket, name: "plain", content: "" })

  const memory = process.memoryUsage().rss
  let peak = memory
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5)
  const [started, cpu] = [performance.now(), process.cpuUsage()]
  const composite = await holdfast.uploads.complete(actor, ref)
  const [took, used] = [performance.now() - started, cpuMillis(cpu)]
  clearInterval(watch)
  peak = Math.max(peak, process.memoryUsage().rss)
  print(
    `complete, ${parts} parts of ${partBytes} bytes: ${used.toFixed(0)} ms of processor time, ${took.toFixed(0)} ms`
  )
  print(`growth of memory: ${((peak - memory) / 1024 ** 2).toFixed(1)} MiB`)

  /** Returns the milliseconds of processor time of one range. */
  const readRanges = async (fileId: string): Promise<number> => {
    const before = process.cpuUsage()
    for (let read = 0; read < reads; read++) {
      const offset = Math.floor(Math.random() * (nextSize - rangeBytes))
      const download = await holdfast.files.read(actor, { ...bucket, fileId, range: { offset, length: rangeBytes } })
      if ((await download.bytes()).length !== rangeBytes) throw new Error("A range has another length.")
    }
    return cpuMillis(before) / reads
  }
  await readRanges(plain.id)
  await readRanges(composite.id)
  const ratios: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const one = await readRanges(plain.id)
    const other = await readRanges(composite.id)
    ratios.push(other / one)
    print(`ms of processor time for a range: ${one.toFixed(3)} plain, ${other.toFixed(3)} composite`)
  }
  const median = ratios.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? Number.NaN
  print(`median ratio of the ranges: ${median.toFixed(2)}`)
} finally {
  Fs.rmSync(directory, { recursive: true, force: true })
}
