/**
 * Opens a Holdfast on real adapters, in a directory of its own.
 */
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { open, type OpenOptions } from "@holdfast/core"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, onTestFinished } from "vitest"

/** Returns the paths of all files below a directory, relative to it. */
const filesIn = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Path.relative(directory, Path.join(entry.parentPath, entry.name)))

/** Returns the files of a blob store except its lock and its identity: contents and unfinished uploads. */
export const blobsIn = (directory: string): ReadonlyArray<string> =>
  filesIn(directory).filter((file) => !file.startsWith("lock.") && !file.includes(BlobKey.identityPrefix))

/** Creates a directory and removes it when the test ends. */
export const makeDirectory = (): string => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-promises-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Returns the error that a promise rejects with; fails the test when it resolves. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("the promise should have been rejected"),
    (error: unknown) => error
  )

/** Opens a Holdfast on SQLite and a local disk, and closes it when the test ends. */
export const openIn = async (directory: string, options: Partial<OpenOptions> = {}) => {
  const holdfast = await open({
    metadata: sqlite({ file: Path.join(directory, "metadata.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") }),
    sweepEvery: false,
    ...options
  })
  onTestFinished(() => holdfast.close())
  return holdfast
}

/** Opens a Holdfast that has a tenant, a bucket and an account key. */
export const setUp = async (options: Partial<OpenOptions> = {}, directory = makeDirectory()) => {
  const holdfast = await openIn(directory, options)
  const system = holdfast.system()
  const { key } = await holdfast.keys.create(system, { email: "root@example.com", name: "root" })
  const root = holdfast.as(key)
  const tenant = await holdfast.tenants.create(root, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(root, { tenantId: tenant.id, name: "media" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  return { holdfast, directory, files: Path.join(directory, "files"), system, key, root, tenant, bucket: ref }
}
