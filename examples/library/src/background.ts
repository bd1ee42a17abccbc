import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { webhooks } from "@holdfast/outbound"
import { s3Mirrors } from "@holdfast/s3"
import { sqlite } from "@holdfast/sqlite"

await using holdfast = await open({
  metadata: sqlite({ file: "data/holdfast.sqlite" }),
  blobs: fs({ directory: "data" }),
  secretKey: Buffer.from(process.env["HOLDFAST_SECRET_KEY"] ?? "", "base64"),
  mirrors: [s3Mirrors()],
  webhooks: webhooks()
})
const ada = holdfast.account("ada@example.com")
// A second run finds what the first one created.
const tenants = await holdfast.tenants.list(ada)
const { id: tenantId } = tenants.items[0] ?? (await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" }))
const created = await holdfast.webhooks.list(ada, { tenantId })
const webhook =
  created.items[0] ??
  (await holdfast.webhooks.create(ada, {
    tenantId,
    name: "Search index",
    url: "https://example.com/hooks/files",
    eventTypes: ["file.", "content.replaced"]
  }))

process.stdout.write(`${webhook.name} ${webhook.state}\n`)
