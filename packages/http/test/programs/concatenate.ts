/**
 * `concatenate <directory>`: concatenates two partial uploads of tus, and prints what the client knows when the completion is about to be
 * stored. Never ends.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { toNodeListener } from "@holdfast/http"
import { sqlite } from "@holdfast/sqlite"
import * as Fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Path from "node:path"

const directory = process.argv[2] ?? ""
const contents = ["first half, ", "second half"]

const sent = { key: "", uploads: "", partials: [] as Array<string> }

const holdfast = await open({
  metadata: sqlite({ file: Path.join(directory, "app.sqlite") }),
  blobs: fs({ directory: Path.join(directory, "files") }),
  secretKey: new Uint8Array(32).fill(1),
  hooks: {
    onUpload: {
      before: () => {
        // Written at once: a killed process prints nothing that is still buffered.
        Fs.writeSync(1, `${JSON.stringify(sent)}\n`)
        return new Promise<undefined>(() => undefined)
      }
    }
  }
})
const system = holdfast.system()
const { key } = await holdfast.keys.create(system, { email: "root@example.com", name: "root" })
const { id: tenantId } = await holdfast.tenants.create(holdfast.as(key), { name: "Acme", subdomain: "acme" })
const { id: bucketId } = await holdfast.buckets.create(system, { tenantId, name: "media" })
const server = createServer(toNodeListener(holdfast))
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
const { port } = server.address() as AddressInfo
sent.key = key
sent.uploads = `/tenants/${tenantId}/buckets/${bucketId}/files/uploads`

const create = (headers: Readonly<Record<string, string>>, body: string | null = null) =>
  fetch(`http://127.0.0.1:${port}/api/v1${sent.uploads}?name=joined.txt`, {
    method: "POST",
    headers: { "x-api-key": key, "tus-resumable": "1.0.0", ...headers },
    body
  })

for (const content of contents) {
  const headers = { "upload-concat": "partial", "content-type": "application/offset+octet-stream" }
  const answer = await create({ ...headers, "upload-length": String(content.length) }, content)
  sent.partials.push(answer.headers.get("location") ?? "")
}
await create({ "upload-concat": `final;${sent.partials.join(" ")}` })
