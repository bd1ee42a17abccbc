/**
 * An open Holdfast on SQLite and a directory, and the servers that mount it.
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
import * as StoreIdentity from "../support/StoreIdentity.ts"

/** Opens a Holdfast with a tenant and a bucket. It is closed and its data removed when the test ends. */
export const openHoldfast = async (settings?: OpenOptions["settings"], hooks?: OpenOptions["hooks"]) => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-mount-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  const holdfast = await open({
    metadata: sqlite({ file: Path.join(directory, "metadata.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") }),
    secretKey: new Uint8Array(32).fill(1),
    settings,
    hooks,
    sweepEvery: false
  })
  onTestFinished(() => holdfast.close())
  const { key } = await holdfast.keys.create(holdfast.system(), { email: "root@example.com", name: "root" })
  const root = holdfast.as(key)
  const tenant = await holdfast.tenants.create(root, { name: "Acme", subdomain: "acme" })
  const bucket = await holdfast.buckets.create(root, { tenantId: tenant.id, name: "media" })
  const ref = { tenantId: tenant.id, bucketId: bucket.id }
  /** Returns the names of the files in the blob store without its lock and its identity. */
  const listBlobs = (): ReadonlyArray<string> =>
    Fs.readdirSync(Path.join(directory, "files"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("lock."))
      .filter(({ name, parentPath }) => !StoreIdentity.isIdentity(Path.join(parentPath, name)))
      .map((entry) => entry.name)
  return { holdfast, directory, key, root, ref, listBlobs, files: `/tenants/${tenant.id}/buckets/${bucket.id}/files` }
}

export type OpenHoldfast = Awaited<ReturnType<typeof openHoldfast>>

/** Waits until a server listens and returns its URL. It is closed when the test ends. */
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

/** Starts a server with this listener and returns its URL. */
export const serve = (listener: RequestListener): Promise<string> =>
  urlOf(createServer(listener).listen(0, "127.0.0.1"))

/** Makes requests to the API below a URL, with the key of the Holdfast. */
export const requests = (url: string, { key }: OpenHoldfast): Requests.Requests => Requests.make(`${url}/api/v1`, key)

/** Returns a function like `fetch` that passes requests with the key to a web handler. */
export const toFetch =
  (handler: (request: Request) => Promise<Response>, { key }: OpenHoldfast) =>
  (method: string, url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (!headers.has("x-api-key")) headers.set("x-api-key", key)
    return handler(new Request(url, { ...init, method, headers }))
  }
