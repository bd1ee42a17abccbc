/**
 * `after-hook <directory>`: stores a file, and prints the id of its change when the hook runs, which never ends.
 */
import { fs } from "@holdfast/fs"
import { open } from "@holdfast/core"
import { sqlite } from "@holdfast/sqlite"
import * as Path from "node:path"

const directory = process.argv[2] ?? ""
const after = ({ id }: { readonly id: string }) => {
  process.stdout.write(`${id}\n`)
  return new Promise<void>(() => undefined)
}
const holdfast = await open({
  metadata: sqlite({ file: Path.join(directory, "app.sqlite") }),
  blobs: fs({ directory: Path.join(directory, "files") }),
  hooks: { onUpload: { after }, timeout: 500 }
})
const system = holdfast.system()
const { id: tenantId } = await holdfast.tenants.create(system, { name: "Acme", subdomain: "acme" })
const { id: bucketId } = await holdfast.buckets.create(system, { tenantId, name: "media" })
await holdfast.files.upload(system, { tenantId, bucketId, name: "a.txt", content: "text" })
// An open Holdfast does not keep the process alive, and the hook runs after the upload.
setInterval(() => undefined, 60_000)
