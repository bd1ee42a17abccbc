/**
 * `upload-parts <directory>`: uploads files in parts, and prints a line for each part and each file that is acknowledged. Never ends.
 * Part n of a file is the byte n, `partSize` times.
 */
import { open } from "@holdfast/core"
import * as Actor from "@holdfast/core/Actor"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import { ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Path from "node:path"

const partSize = 5_000
const partsOfFile = 4
const directory = process.argv[2] ?? ""
/** Written at once: a killed process prints nothing that is still buffered. */
const print = (fields: object) => Fs.writeSync(1, `${JSON.stringify(fields)}\n`)

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

const uploadFile = Effect.fnUntraced(function* (mode: "APPEND" | "PARTS") {
  const uploads = yield* ResumableUploads
  const name = `${process.hrtime.bigint()}.bin`
  const { id: uploadId } = yield* uploads.create(Actor.system, bucket, { name }, { mode })
  const ref = { ...bucket, uploadId }
  for (let number = 1; number <= partsOfFile; number++) {
    const content = Stream.make(new Uint8Array(partSize).fill(number))
    yield* mode === "PARTS"
      ? uploads.putPart(Actor.system, ref, content, { number })
      : uploads.append(Actor.system, ref, content, { offset: (number - 1) * partSize })
    print({ ...ref, parts: number })
  }
  const { id } = yield* uploads.complete(Actor.system, ref)
  print({ ...ref, parts: partsOfFile, fileId: id })
})

const run = Effect.runPromiseWith(PromiseApiContext.of(holdfast).services)
await run(Effect.forever(Effect.andThen(uploadFile("APPEND"), uploadFile("PARTS"))))
