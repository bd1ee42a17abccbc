/**
 * Backups of deployments whose contents are in an object store, and restores into another kind of database and store.
 */
import { firstMissing, requires } from "@holdfast/testing/Requires"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Ceph from "../support/Ceph.ts"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Deployments from "./Deployments.ts"

const env = { HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64"), HOLDFAST_CONVERSIONS: "0" }

requires(firstMissing(Ceph.missing, Database.missing)).describe("contents in S3, metadata in PostgreSQL", () => {
  let ceph: Ceph.Ceph
  let database: Database.Database

  beforeAll(async () => {
    ;[ceph, database] = await Promise.all([Ceph.start(), Database.start()])
  }, 120_000)
  afterAll(async () => {
    await ceph.close()
    await database.close()
  })

  const begin = async () => {
    const store = await ceph.makeBucket()
    const settings = { ...env, ...ceph.settings(store.name), HOLDFAST_S3_PREFIX: "files/" }
    const source = await Deployments.make(database, settings)
    const bucket = await Deployments.begin(source)
    const contents = new Map<string, string>()
    for (const size of [0, 1, 70_000, 9_000_000]) {
      const bytes = randomBytes(size)
      await ServiceBucket.uploadFile(bucket, `f${size}`, bytes)
      contents.set(`f${size}`, Deployments.sha256(bytes))
    }
    return { store, settings, source, bucket, contents, backup: await Process.makeDirectory() }
  }

  it(
    "restore: into the same kinds, and into SQLite and a directory → every content there",
    { timeout: 480_000 },
    async () => {
      const { backup, bucket, contents, source } = await begin()
      expect(await Deployments.runJson(source, "backup", backup)).toMatchObject({
        copied: 4,
        lost: 0,
        hasSecretKey: false
      })
      expect(await Deployments.runJson(source, "backup", backup)).toMatchObject({ copied: 0 })
      await expect(Fs.access(source.data)).rejects.toThrow()

      const other = await ceph.makeBucket()
      const targets = [
        await Deployments.make(database, { ...env, ...ceph.settings(other.name) }),
        await Deployments.make(undefined, env)
      ]
      for (const target of targets) {
        expect(await Deployments.runJson(target, "restore", backup)).toMatchObject({ copied: 4, findings: 0 })
        const api = await Deployments.open(target, bucket.key)
        expect(await Deployments.readAll(api, bucket.files)).toEqual(contents)
      }
      expect(await other.keys()).toHaveLength(4)
    }
  )

  it(
    "--contents manifest: metadata restored beside the contents of the store → complete, or what is missing is named",
    { timeout: 480_000 },
    async () => {
      const { backup, bucket, contents, settings, source, store } = await begin()
      const made = await Deployments.runJson(source, "backup", backup, "--contents", "manifest")
      expect(made).toMatchObject({ contents: "manifest", count: 4, bytes: 9_070_001, copied: 0 })
      expect((await Deployments.filesBelow(backup)).filter((path) => path.includes("blb_"))).toEqual([])
      expect((await Process.run(["verify-backup", backup])).code).toBe(0)
      await bucket.service.stop()

      const target = await Deployments.make(database, settings)
      expect(await Deployments.runJson(target, "restore", backup)).toMatchObject({ count: 4, findings: 0 })
      const api = await Deployments.open(target, bucket.key)
      expect(await Deployments.readAll(api, bucket.files)).toEqual(contents)

      const [key = ""] = await store.keys()
      await store.remove(key)
      const incomplete = await Deployments.make(database, settings)
      const restored = await Deployments.run(incomplete, "restore", backup)
      expect([restored.code, restored.stderr]).toEqual([
        1,
        expect.stringContaining(`Missing       ${key.slice("files/".length)}`)
      ])
    }
  )
})
