/**
 * `upload-parts <directory>`: uploads files in parts, and prints a line for each step that it requests or that is acknowledged. Never
 * ends. Part n of a file is the byte n, `partSize` times.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Line } from "../faults/parts/PartLedger.ts"

const partSize = 5_000
const partsOfFile = 4
const directory = process.argv[2] ?? ""

const holdfast = await open({
  metadata: sqlite({ file: Path.join(directory, "app.sqlite") }),
  blobs: fs({ directory: Path.join(directory, "files") })
})
const system = holdfast.system()
const { items } = await holdfast.tenants.list(system)
const { id: tenantId } = items[0] ?? (await holdfast.tenants.create(system, { name: "Acme", subdomain: "acme" }))
const buckets = await holdfast.buckets.list(system, { tenantId })
const { id: bucketId } = buckets.items[0] ?? (await holdfast.buckets.create(system, { tenantId, name: "media" }))
const bucket = { tenantId, bucketId }

const uploadFile = async (mode: "APPEND" | "PARTS", end: "complete" | "abort") => {
  const name = `${process.hrtime.bigint()}.bin`
  const { id: uploadId } = await holdfast.files.createUpload(system, { ...bucket, name, mode })
  const ref = { ...bucket, uploadId }
  const print = (line: Pick<Line, "parts" | "state" | "fileId">) => {
    const fields: Line = { ...ref, ...line, mode, at: performance.timeOrigin + performance.now() }
    // Written at once: a killed process prints nothing that is still buffered.
    Fs.writeSync(1, `${JSON.stringify(fields)}\n`)
  }
  for (let number = 1; number <= partsOfFile; number++) {
    const content = new Uint8Array(partSize).fill(number)
    await (mode === "PARTS"
      ? holdfast.uploads.putPart(system, { ...ref, number, content })
      : holdfast.uploads.append(system, { ...ref, offset: (number - 1) * partSize, content }))
    print({ parts: number, state: "open" })
  }
  print({ parts: partsOfFile, state: end === "complete" ? "completing" : "aborting" })
  if (end === "abort") {
    await holdfast.uploads.abort(system, ref)
    return print({ parts: 0, state: "aborted" })
  }
  const { id: fileId } = await holdfast.uploads.complete(system, ref)
  print({ parts: partsOfFile, state: "completed", fileId })
}

while (true) {
  await uploadFile("APPEND", "complete")
  await uploadFile("PARTS", "complete")
  await uploadFile("APPEND", "abort")
  await uploadFile("PARTS", "abort")
}
