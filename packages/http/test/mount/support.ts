/**
 * An open Holdfast on real adapters, to be mounted, and the servers to mount it in.
 */
import { open, type OpenOptions } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import * as Fs from "node:fs"
import { createServer, type RequestListener, type Server } from "node:http"
import * as Os from "node:os"
import * as Path from "node:path"
import { onTestFinished } from "vitest"
import * as Requests from "../support/Requests.ts"

/** Opens one with a tenant and a bucket; it is closed and removed when the test ends. */
export const setUp = async (settings?: OpenOptions["settings"]) => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-mount-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  const holdfast = await open({
    metadata: sqlite({ file: Path.join(directory, "metadata.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") }),
    settings,
    sweepEvery: false
  })
  onTestFinished(() => holdfast.close())
  const { key } = await holdfast.keys.create(holdfast.system(), { email: "root@example.com", name: "root" })
  const root = holdfast.as(key)
  const tenant = await holdfast.tenants.create(root, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(root, { tenantId: tenant.id, name: "media" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  /** Everything in the blob store but its lock. */
  const blobs = (): ReadonlyArray<string> =>
    Fs.readdirSync(Path.join(directory, "files"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("lock."))
      .map((entry) => entry.name)
  return { holdfast, key, root, ref, blobs, files: `/tenants/${tenant.id}/buckets/${bucket.id}/files` }
}

export type SetUp = Awaited<ReturnType<typeof setUp>>

/** Where a server listens; it is closed when the test ends. */
export const urlOf = async (server: Server): Promise<string> => {
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.")
  return `http://127.0.0.1:${address.port}`
}

/** Serves a listener. */
export const serve = (listener: RequestListener): Promise<string> =>
  urlOf(createServer(listener).listen(0, "127.0.0.1"))

/** Requests below a prefix, with a key. */
export const requests = (url: string, { key }: SetUp): Requests.Requests => Requests.make(`${url}/api/v1`, key)

/** A web handler as a `fetch` of requests. */
export const ask =
  (handler: (request: Request) => Promise<Response>, { key }: SetUp) =>
  (method: string, url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (!headers.has("x-api-key")) headers.set("x-api-key", key)
    return handler(new Request(url, { ...init, method, headers }))
  }
