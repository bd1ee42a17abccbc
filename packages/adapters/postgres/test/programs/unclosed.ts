/**
 * `unclosed <url> <directory>`: opens a Holdfast on PostgreSQL, creates a tenant, prints its id and never closes the Holdfast.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { postgres } from "../../src/index.ts"

const [url = "", directory = ""] = process.argv.slice(2)
const holdfast = await open({ metadata: postgres({ url }), blobs: fs({ directory }) })
const tenant = await holdfast.tenants.create(holdfast.system(), { name: "Acme", subdomain: "acme" })
process.stdout.write(`${tenant.id}\n`)
