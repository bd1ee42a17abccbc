/**
 * An open Holdfast on real adapters in a directory of its own.
 */
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { open, type OpenOptions } from "@holdfast/core"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { onTestFinished } from "vitest"

/** Every file below a directory, relative to it. */
export const filesIn = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Path.relative(directory, Path.join(entry.parentPath, entry.name)))

/** What stands in the blob store besides its lock: blobs and uploads under way. */
export const blobsIn = (directory: string): ReadonlyArray<string> =>
  filesIn(directory).filter((file) => !file.startsWith("lock."))

export const makeDirectory = (): string => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-door-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Opens one with a tenant and a bucket, and closes it when the test ends. */
export const setUp = async (settings?: OpenOptions["settings"]) => {
  const directory = makeDirectory()
  const files = Path.join(directory, "files")
  const holdfast = await open({
    metadata: sqlite({ file: Path.join(directory, "metadata.sqlite") }),
    blobs: fs({ directory: files }),
    settings,
    sweepEvery: false
  })
  onTestFinished(() => holdfast.close())
  const system = holdfast.system()
  const { key } = await holdfast.keys.create(system, { email: "root@example.com", name: "root" })
  const root = holdfast.as(key)
  const tenant = await holdfast.tenants.create(root, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(root, { tenantId: tenant.id, name: "media" })
  return { holdfast, directory, files, system, key, root, tenant, bucket: { tenantId: tenant.id, bucketId: bucket.id } }
}
