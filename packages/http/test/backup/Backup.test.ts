/**
 * Backups of running services, and their restoration into empty deployments.
 *
 * `HOLDFAST_BACKUPS=all` (`pnpm backups`) runs everything on both databases. Otherwise PostgreSQL has the tests whose statements
 * differ: the snapshot of a database that changes meanwhile, and the rows of every kind that a restore writes.
 */
import { requires } from "@holdfast/testing/Requires"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Ledger from "../faults/Ledger.ts"
import * as MirrorRequests from "../mirrors/MirrorRequests.ts"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Deployments from "./Deployments.ts"

const uploadMany = async (bucket: ServiceBucket.ServiceBucket, prefix: string, count: number) => {
  const contents = new Map<string, string>()
  for (let i = 0; i < count; i++) {
    const bytes = randomBytes(Math.floor(Math.random() * 60_000))
    await ServiceBucket.uploadFile(bucket, `${prefix}${i}`, bytes)
    contents.set(`${prefix}${i}`, Deployments.sha256(bytes))
  }
  return contents
}

const isWhole = process.env["HOLDFAST_BACKUPS"] === "all"

/** How many backups are made while the service changes files. */
const backups = isWhole ? 3 : 2

const common = (getServer: () => Database.Database | undefined): void => {
  it("restore: files, keys and mirrors of the backup → as they were", { timeout: 480_000 }, async () => {
    const source = await Deployments.make(getServer())
    const bucket = await Deployments.begin(source)
    const origin = MirrorRequests.fromIds(bucket.api, bucket)
    const contents = await uploadMany(bucket, "f", 20)
    const target = await MirrorRequests.createTarget(bucket.api, "target")
    const mirror = await MirrorRequests.createMirror(origin, MirrorRequests.mirrorToTenant(target))
    await MirrorRequests.untilCopied(origin, mirror.id)
    const backup = await Process.makeDirectory()

    const made = await Deployments.runJson(source, "backup", backup)
    expect(made).toMatchObject({ contents: "copy", lost: 0, hasSecretKey: true, count: 40, copied: 40 })
    const restored = await Deployments.make(getServer())
    expect(await Deployments.runJson(restored, "restore", backup)).toMatchObject({ id: made["id"], findings: 0 })
    const fsck = await Deployments.run(restored, "fsck")
    expect([fsck.code, fsck.stdout]).toEqual([0, expect.stringContaining("40 contents: 0 findings")])

    const api = await Deployments.open(restored, bucket.key)
    expect(await Deployments.readAll(api, bucket.files)).toEqual(contents)
    // The mirror decrypts its secret with the restored key.
    const mirrored = MirrorRequests.fromIds(api, bucket)
    await MirrorRequests.upload(mirrored, { name: "added" }, "added")
    await MirrorRequests.untilCopied(mirrored, mirror.id)
    const copies = await MirrorRequests.listFiles(MirrorRequests.fromIds(api, target))
    expect(copies.size).toBe(21)
    expect((await api.get(target.files, { key: target.apiKey })).status).toBe(200)
  })

  it(
    "backup: service uploads, replaces and removes files meanwhile → restored contents complete, files of before there",
    { timeout: 480_000 },
    async () => {
      // Contents that are replaced while the backup runs would be swept before the backup reads them.
      const source = await Deployments.make(getServer(), {
        HOLDFAST_BLOB_GRACE: "1s",
        HOLDFAST_SWEEP_INTERVAL: "1s"
      })
      const bucket = await Deployments.begin(source)
      const steady = await uploadMany(bucket, "steady", 20)
      const ledger = Ledger.make(() => bucket.api, bucket)
      for (let i = 0; i < 60; i++) await ledger.create(100_000)
      const load = new AbortController()
      const loaded = Promise.all(
        Array.from({ length: 2 }, async () => {
          while (!load.signal.aborted) {
            const dice = Math.random()
            await (dice < 0.4 ? ledger.create(20_000) : dice < 0.8 ? ledger.overwrite(20_000) : ledger.remove())
          }
        })
      )
      const backup = await Process.makeDirectory()
      for (let i = 0; i < backups; i++) {
        const made = await Deployments.run(source, "backup", backup)
        expect([made.code, made.stdout + made.stderr]).toEqual([0, expect.not.stringContaining("Missing")])
      }
      load.abort()
      await loaded
      const verified = await Process.run(["verify-backup", backup])
      expect([verified.code, verified.stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^${backups} snapshots, .* 0 faults\\.\n$`))
      ])
      const target = await Deployments.make(getServer())
      expect(await Deployments.runJson(target, "restore", backup)).toMatchObject({ findings: 0 })
      const restored = await Deployments.readAll(await Deployments.open(target, bucket.key), bucket.files)
      expect(new Map([...restored].filter(([name]) => name.startsWith("steady")))).toEqual(steady)
    }
  )
}

const further = (getServer: () => Database.Database | undefined): void => {
  it(
    "backup: second one into the same directory → copies new contents only; each snapshot can be restored",
    { timeout: 480_000 },
    async () => {
      const source = await Deployments.make(getServer())
      const bucket = await Deployments.begin(source)
      const first = await uploadMany(bucket, "a", 5)
      const backup = await Process.makeDirectory()
      const one = await Deployments.runJson(source, "backup", backup)
      expect(one).toMatchObject({ count: 5, copied: 5 })
      const second = await uploadMany(bucket, "b", 3)
      const two = await Deployments.runJson(source, "backup", backup)
      expect(two).toMatchObject({ count: 8, copied: 3 })
      expect(await Deployments.runJson(source, "backup", backup)).toMatchObject({ count: 8, copied: 0 })
      const verified = await Process.run(["verify-backup", backup])
      expect([verified.code, verified.stdout]).toEqual([0, "3 snapshots, 8 contents: 0 faults.\n"])

      const older = await Deployments.make(getServer())
      await Deployments.runJson(older, "restore", backup, "--snapshot", String(one["id"]))
      expect(await Deployments.readAll(await Deployments.open(older, bucket.key), bucket.files)).toEqual(first)
      const newer = await Deployments.make(getServer())
      await Deployments.runJson(newer, "restore", backup, "--snapshot", String(two["id"]))
      const all = new Map([...first, ...second])
      expect(await Deployments.readAll(await Deployments.open(newer, bucket.key), bucket.files)).toEqual(all)
    }
  )

  it(
    "restore --pause-mirrors → webhooks are DISABLED; mirrors are PAUSED and copy what changed when they are resumed",
    { timeout: 480_000 },
    async () => {
      const source = await Deployments.make(getServer())
      const bucket = await Deployments.begin(source)
      const target = await MirrorRequests.createTarget(bucket.api, "target")
      const origin = MirrorRequests.fromIds(bucket.api, bucket)
      const mirror = await MirrorRequests.createMirror(origin, MirrorRequests.mirrorToTenant(target))
      const webhooks = `/tenants/${bucket.tenantId}/webhooks`
      const webhook = { name: "w", url: "https://example.com/", eventTypes: ["webhook.disabled"] }
      expect((await bucket.api.post(webhooks, { json: webhook })).status).toBe(201)
      const backup = await Process.makeDirectory()
      await Deployments.runJson(source, "backup", backup)
      const restored = await Deployments.make(getServer())
      await Deployments.runJson(restored, "restore", backup, "--pause-mirrors")
      const api = await Deployments.open(restored, bucket.key)
      const mirrored = MirrorRequests.fromIds(api, bucket)
      expect((await MirrorRequests.getMirror(mirrored, mirror.id)).state).toBe("PAUSED")
      const items = [expect.objectContaining({ state: "DISABLED", disabledReason: "RESTORED" })]
      expect(await (await api.get(webhooks)).json()).toEqual({ items, nextCursor: null })
      await MirrorRequests.upload(mirrored, { name: "added" }, "added")
      expect((await api.patch(`${mirrored.mirrors}/${mirror.id}`, { json: { paused: false } })).status).toBe(200)
      await MirrorRequests.untilCopied(mirrored, mirror.id)
      expect((await MirrorRequests.listFiles(MirrorRequests.fromIds(api, target))).size).toBe(1)
      expect((await MirrorRequests.getMirror(origin, mirror.id)).state).toBe("ACTIVE")
    }
  )

  it("restore: database or store not empty → exit code 1, nothing changed", { timeout: 480_000 }, async () => {
    const source = await Deployments.make(getServer())
    const bucket = await Deployments.begin(source)
    const contents = await uploadMany(bucket, "f", 2)
    const backup = await Process.makeDirectory()
    await Deployments.runJson(source, "backup", backup)
    await bucket.service.stop()
    const again = await Deployments.run(source, "restore", backup)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("A restore needs an empty database.")])
    expect(await Deployments.readAll(await Deployments.open(source, bucket.key), bucket.files)).toEqual(contents)

    const other = await Deployments.make(getServer())
    const otherBucket = await Deployments.begin(other)
    await uploadMany(otherBucket, "g", 1)
    await otherBucket.service.stop()
    const withStore = { ...(await Deployments.make(getServer())), data: other.data }
    await Fs.rm(Path.join(other.data, "holdfast.sqlite"), { force: true })
    const before = await Deployments.filesBelow(other.data)
    const refused = await Deployments.run(withStore, "restore", backup)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("A restore needs an empty store.")])
    expect(await Deployments.filesBelow(other.data)).toEqual(before)
  })
}

describe("SQLite", () => {
  common(() => undefined)
  further(() => undefined)
})

requires(Database.missing).describe("PostgreSQL", () => {
  let server: Database.Database
  beforeAll(async () => {
    server = await Database.start()
  }, 60_000)
  afterAll(() => server.close())
  common(() => server)
  if (isWhole) further(() => server)
})
