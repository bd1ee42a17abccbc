/**
 * The Holdfast of the programs beside this one: SQLite and a directory. Every visitor is Ada.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"

export const start = async () => {
  const holdfast = await open({
    metadata: sqlite({ file: `${process.env.DATA}/app.sqlite` }),
    blobs: fs({ directory: `${process.env.DATA}/files` })
  })
  const ada = holdfast.account("ada@example.com")
  // Users of a mounted API create no tenants: the program does.
  await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  return { holdfast, authenticate: () => ada }
}

/** Prints the address of a server that listens. */
export const announce = (port) => process.stdout.write(`listens on http://127.0.0.1:${port}\n`)
