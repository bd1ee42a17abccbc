/**
 * The Holdfast of the programs beside this one: SQLite and a directory. A server of the same machine says in a header that it is
 * Ada. A browser sends no such header: it has only the links that the program gives it.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { readFileSync, writeFileSync } from "node:fs"

const visitorOf = ({ headers }) => (typeof headers.get === "function" ? headers.get("x-visitor") : headers["x-visitor"])

export const start = async () => {
  const holdfast = await open({
    metadata: sqlite({ file: `${process.env.DATA}/holdfast.sqlite` }),
    blobs: fs({ directory: process.env.DATA })
  })
  const ada = holdfast.account("ada@example.com")
  // Users of a mounted API create no tenants: the program does.
  const { id: tenantId } = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(ada, { tenantId, name: "pages" })
  const { items } = await holdfast.members.list(ada, { tenantId })
  const { key } = await holdfast.tokens.create(ada, { tenantId, name: "program", member: { id: items[0].id } })
  // For the check that looks for the key in all that a browser has.
  writeFileSync(`${process.env.DATA}/api-key`, key)
  const program = holdfast.as(key)
  const options = { tenantId, bucketId, expiresIn: 60, baseUrl: "/store" }

  return {
    holdfast,
    authenticate: (request) => (visitorOf(request) === "ada" ? ada : undefined),
    /** Returns the address to which a page uploads one file. */
    uploadAddress: ({ name, size }) => holdfast.files.uploadUrl(program, { ...options, name, maxBytes: size }),
    /** Returns the address at which a page shows one file. */
    viewAddress: (fileId) => holdfast.files.signedUrl(program, { ...options, fileId })
  }
}

export const page = `<!doctype html><html lang="en"><title>Files</title><link rel="icon" href="data:,">
<holdfast-upload endpoint="/addresses" multiple></holdfast-upload>
<main></main><script type="module" src="/page.js"></script></html>`

/** Returns the program of the page, a bundle of `Browser.js`. */
export const script = () => readFileSync("out/page/page.js", "utf8")

/** Prints the address of a server that listens. */
export const announce = (port) => process.stdout.write(`listens on http://127.0.0.1:${port}\n`)
