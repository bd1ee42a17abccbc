/**
 * The stores of several nodes: a PostgreSQL server, and Ceph as the object store.
 */
import { firstMissing } from "@holdfast/testing/Requires"
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll } from "vitest"
import * as Ceph from "./Ceph.ts"
import * as Database from "./Database.ts"
import * as Process from "./Process.ts"

export const missing = firstMissing(Ceph.missing, Database.missing)

export interface SharedStores {
  readonly ceph: () => Ceph.Ceph
  readonly database: () => Database.Database
  /** Makes an empty database and an empty bucket, and the settings of the nodes that share them. */
  readonly make: () => Promise<{
    readonly blobs: Awaited<ReturnType<Ceph.Ceph["makeBucket"]>>
    readonly env: Readonly<Record<string, string>> & { readonly DATABASE_URL: string }
    readonly rootKey: string
  }>
}

/** Starts the servers before the tests of the current `describe`, and stops them after. */
export const useSharedStores = (): SharedStores => {
  let ceph: Ceph.Ceph
  let database: Database.Database
  beforeAll(async () => {
    ceph = await Ceph.start()
    database = await Database.start()
  }, 120_000)
  afterAll(async () => {
    await ceph.close()
    await database.close()
  })
  return {
    ceph: () => ceph,
    database: () => database,
    make: async () => {
      const blobs = await ceph.makeBucket()
      const rootKey = (await Process.run(["keys", "generate"])).stdout.trim()
      const env = {
        DATABASE_URL: await database.create(),
        ...ceph.settings(blobs.name),
        HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64"),
        HOLDFAST_ROOT_KEY: rootKey
      }
      return { blobs, env, rootKey }
    }
  }
}
