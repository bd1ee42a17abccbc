import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"

await using holdfast = await open({
  metadata: sqlite({ file: "data/holdfast.sqlite" }),
  blobs: fs({ directory: "data" })
})
const ada = holdfast.account("ada@example.com") // authenticated by your program; for an API key: holdfast.as(key)
// A second run finds what the first one created.
const tenants = await holdfast.tenants.list(ada)
const tenant = tenants.items[0] ?? (await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" }))
const buckets = await holdfast.buckets.list(ada, { tenantId: tenant.id })
const bucket = buckets.items[0] ?? (await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "media" }))
const ref = { tenantId: tenant.id, bucketId: bucket.id }
const file = await holdfast.files.upload(ada, { ...ref, name: "hello.txt", content: "Hello", onConflict: "replace" })
const response = (await holdfast.files.read(ada, { ...ref, fileId: file.id })).response()

process.stdout.write(`${response.status} ${response.headers.get("content-type")} ${await response.text()}\n`)
