/**
 * Deployments that are backed up and restored: each with its own data directory, and with a database of its own where the
 * metadata are in PostgreSQL.
 */
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect } from "vitest"
import type * as Database from "../support/Database.ts"
import { json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as StoreIdentity from "../support/StoreIdentity.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

export interface Deployment {
  readonly data: string
  /** The environment of the service and of the commands. */
  readonly env: Readonly<Record<string, string>>
}

/** Makes an empty deployment: on SQLite without a server. */
export const make = async (
  server: Database.Database | undefined,
  env: Readonly<Record<string, string>> = {}
): Promise<Deployment> => ({
  data: Path.join(await Process.makeDirectory(), "data"),
  env: { ...(server === undefined ? {} : { DATABASE_URL: await server.create() }), HOLDFAST_ACCESS_LOG: "off", ...env }
})

/** Starts the service of a new deployment, with a tenant and a bucket. */
export const begin = (deployment: Deployment): Promise<ServiceBucket.ServiceBucket> =>
  ServiceBucket.start({ data: deployment.data, env: deployment.env })

/** Runs a command on a deployment. */
export const run = ({ data, env }: Deployment, ...args: ReadonlyArray<string>): Promise<Process.Finished> =>
  Process.run([...args, "--data-dir", data], { env })

/** Runs a command that must succeed, with `--json`. Returns what it prints. */
export const runJson = async (
  deployment: Deployment,
  ...args: ReadonlyArray<string>
): Promise<Readonly<Record<string, unknown>>> => {
  const finished = await run(deployment, ...args, "--json")
  expect([finished.code, finished.stderr]).toEqual([0, expect.not.stringContaining("holdfast:")])
  return JSON.parse(finished.stdout)
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

interface FilePage {
  readonly items: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly checksum: { readonly sha256: string } | null
  }>
  readonly nextCursor: string | null
}

/** Reads every file of a bucket. Returns the SHA-256 of each by its name; fails unless it is that of the file's record. */
export const readAll = async (api: Requests.Requests, files: string): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>()
  let cursor: string | null = null
  do {
    const query: Record<string, string> = { limit: "100", ...(cursor === null ? {} : { cursor }) }
    const page: FilePage = await json<FilePage>(await api.get(files, { query }))
    for (const { checksum, id, name } of page.items) {
      if (checksum === null) continue
      const answer = await api.get(`${files}/${id}/view`)
      const hash = sha256(new Uint8Array(await answer.arrayBuffer()))
      expect([name, answer.status, hash]).toEqual([name, 200, checksum.sha256])
      found.set(name, hash)
    }
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}

/** Starts the service of a restored deployment. Returns requests with a key of the deployment that was backed up. */
export const open = async ({ data, env }: Deployment, key: string): Promise<Requests.Requests> => {
  const service = await Process.serve({ data, env })
  return Requests.make(`${service.url}/api/v1`, key)
}

/** Returns the paths of all files below a directory, without those that identify a store. */
export const filesBelow = async (directory: string): Promise<ReadonlyArray<string>> =>
  (await Fs.readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => Path.join(entry.parentPath, entry.name))
    .filter((path) => !StoreIdentity.isIdentity(path))
    .toSorted()
