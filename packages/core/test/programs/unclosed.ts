/**
 * `unclosed <directory>`: opens a Holdfast with all background work, stores a file, prints its id and never closes the Holdfast.
 */
import { fs } from "@holdfast/fs"
import { open } from "@holdfast/core"
import { webhooks } from "@holdfast/outbound"
import { sqlite } from "@holdfast/sqlite"
import * as Path from "node:path"

const directory = process.argv[2] ?? ""
const holdfast = await open({
  metadata: sqlite({ file: Path.join(directory, "app.sqlite") }),
  blobs: fs({ directory: Path.join(directory, "files") }),
  secretKey: new Uint8Array(32),
  webhooks: webhooks()
})
const system = holdfast.system()
const { id: tenantId } = await holdfast.tenants.create(system, { name: "Acme", subdomain: "acme" })
const { id: bucketId } = await holdfast.buckets.create(system, { tenantId, name: "media" })
const file = await holdfast.files.upload(system, { tenantId, bucketId, name: "a.txt", content: "text" })
process.stdout.write(`${file.id}\n`)
