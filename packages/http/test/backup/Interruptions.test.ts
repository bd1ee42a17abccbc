/**
 * Backups that are killed, and contents that are removed while a backup runs.
 *
 * `HOLDFAST_BACKUPS=all` (`pnpm backups`) kills at more points. The others are one of each kind: before the backup has a directory,
 * after its first content, and in the middle; a restore after its first content, and near its end.
 */
import { requires } from "@holdfast/testing/Requires"
import { existsSync } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as BackedUp from "./BackedUp.ts"
import * as Deployments from "./Deployments.ts"

/** Starts a command and waits until it has copied a number of contents into a directory. */
const startCopying = async (
  { data, env }: Deployments.Deployment,
  args: ReadonlyArray<string>,
  directory: string,
  copied: number
) => {
  const running = Process.start([...args, "--data-dir", data], { env })
  const blobs = Path.join(directory, "blobs")
  const count = async () => {
    try {
      return (await Deployments.filesBelow(blobs)).length
    } catch {
      return -1
    }
  }
  while (running.child.exitCode === null && (await count()) < copied) await wait(1)
  return running
}

const isWhole = process.env["HOLDFAST_BACKUPS"] === "all"

/** The numbers of contents after which a backup and a restore are killed; -1 before there is a directory. */
const points = isWhole
  ? { backup: [-1, 0, 1, 30, 100, 199], restore: [0, 1, 50, 150] }
  : { backup: [-1, 1, 100], restore: [1, 150] }

const makeSource = () => BackedUp.make(200, 20_000)

describe("SIGKILL of a backup", () => {
  it("at any point → no snapshot is visible, and the next backup is complete", { timeout: 480_000 }, async () => {
    const { bucket, contents, source } = await makeSource()
    await Deployments.open(source, bucket.key)
    const backup = Path.join(await Process.makeDirectory(), "backup")
    let killed = 0
    for (const copied of points.backup) {
      const running = await startCopying(source, ["backup", backup], backup, copied)
      running.child.kill("SIGKILL")
      if ((await running.exited).signal === "SIGKILL") killed++
      const snapshots = await Fs.readdir(Path.join(backup, "snapshots")).catch((): Array<string> => [])
      const complete = snapshots.filter((name) => !name.startsWith("."))
      if (complete.length > 0) expect((await Process.run(["verify-backup", backup])).code).toBe(0)
    }
    expect(killed).toBeGreaterThan(points.backup.length / 2)
    expect(await Deployments.runJson(source, "backup", backup, "--keep", "1")).toMatchObject({ count: 200 })
    const verified = await Process.run(["verify-backup", backup])
    expect([verified.code, verified.stdout]).toEqual([0, "1 snapshots, 200 contents: 0 faults.\n"])
    const files = await Deployments.filesBelow(backup)
    expect(files.filter((path) => !path.startsWith(Path.join(backup, "blobs")))).toHaveLength(5)

    const target = await Deployments.make(undefined)
    await Deployments.runJson(target, "restore", backup)
    const api = await Deployments.open(target, bucket.key)
    expect(await Deployments.readAll(api, bucket.files)).toEqual(contents)
  })
})

describe("contents removed while a backup runs", () => {
  it("grace of one second, all files deleted → all contents are in the backup", { timeout: 480_000 }, async () => {
    const source = await Deployments.make(undefined, { HOLDFAST_BLOB_GRACE: "1s", HOLDFAST_SWEEP_INTERVAL: "1s" })
    const bucket = await Deployments.begin(source)
    const paths: Array<string> = []
    for (let i = 0; i < 100; i++) paths.push(await ServiceBucket.uploadFile(bucket, `f${i}`, new Uint8Array(30_000)))
    const backup = Path.join(await Process.makeDirectory(), "backup")
    const running = await startCopying(source, ["backup", backup], backup, 1)
    running.child.kill("SIGSTOP")
    for (const path of paths) expect((await bucket.api.delete(path)).status).toBe(204)
    // Several sweeps run meanwhile.
    const until = performance.now() + 4000
    await expect.poll(() => performance.now(), { timeout: 30_000, interval: 200 }).toBeGreaterThan(until)
    running.child.kill("SIGCONT")
    expect([await running.exited, running.stdout()]).toEqual([
      { code: 0, signal: null },
      expect.stringContaining(": 100 contents")
    ])
    // Afterwards the contents are swept.
    const blobs = Path.join(source.data, "blobs")
    await expect.poll(async () => (await Deployments.filesBelow(blobs)).length, { timeout: 20_000 }).toBe(0)
    const target = await Deployments.make(undefined)
    await Deployments.runJson(target, "restore", backup)
    const api = await Deployments.open(target, bucket.key)
    expect((await Deployments.readAll(api, bucket.files)).size).toBe(100)
  })
})

const restoreRepeatedly = async (server: Database.Database | undefined): Promise<void> => {
  const { backup, bucket, contents } = await makeSource()
  const target = await Deployments.make(server)
  for (const copied of points.restore) {
    const running = await startCopying(target, ["restore", backup], target.data, copied)
    running.child.kill("SIGKILL")
    expect(await running.exited).toEqual({ code: null, signal: "SIGKILL" })
  }
  const restored = await Deployments.runJson(target, "restore", backup)
  expect(restored).toMatchObject({ count: 200, findings: 0 })
  expect(Number(restored["kept"])).toBeGreaterThanOrEqual(150)
  const api = await Deployments.open(target, bucket.key)
  expect(await Deployments.readAll(api, bucket.files)).toEqual(contents)
}

/** Kills a restore into SQLite that has restored the metadata, before its end. */
const killLate = async (backup: string): Promise<Deployments.Deployment> => {
  for (let attempt = 0; attempt < 10; attempt++) {
    const target = await Deployments.make(undefined)
    const running = Process.start(["restore", backup, "--data-dir", target.data], { env: target.env })
    const database = Path.join(target.data, "holdfast.sqlite")
    while (running.child.exitCode === null && !existsSync(database)) await wait(1)
    running.child.kill("SIGKILL")
    if ((await running.exited).signal === "SIGKILL") return target
  }
  throw new Error("Each restore ended before the signal.")
}

/** Expects that no service starts with a deployment whose restore has not finished, and that the same restore continues. */
const expectUnfinished = async (target: Deployments.Deployment, backup: string, snapshot: string): Promise<void> => {
  const refused = await Deployments.run(target, "serve", "--port", "0")
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("has not finished")])
  const other = await Deployments.run(target, "restore", backup)
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining(`--snapshot ${snapshot}`)])
  const restored = await Deployments.runJson(target, "restore", backup, "--snapshot", snapshot)
  expect(restored).toMatchObject({ id: snapshot, copied: 0, kept: 200, findings: 0 })
  const again = await Deployments.run(target, "restore", backup, "--snapshot", snapshot)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("A restore needs an empty database.")])
}

const timeout = { timeout: 480_000 }

describe("SIGKILL of a restore", () => {
  it("SQLite → the next restore continues and is complete", timeout, () => restoreRepeatedly(undefined))

  it("SQLite, after the metadata are restored → no service starts; the next restore is complete", timeout, async () => {
    const { backup, bucket, contents, id, source } = await makeSource()
    const target = await killLate(backup)
    await Deployments.runJson(source, "backup", backup)
    await expectUnfinished(target, backup, id)
    const api = await Deployments.open(target, bucket.key)
    expect(await Deployments.readAll(api, bucket.files)).toEqual(contents)
  })
})

requires(Database.missing).describe("SIGKILL of a restore into PostgreSQL", () => {
  it("the next restore continues and is complete", timeout, async () => {
    const server = await Database.start()
    await restoreRepeatedly(server).finally(server.close)
  })

  it("last change of the restore fails → no service starts; the next restore is complete", timeout, async () => {
    const server = await Database.start()
    onTestFinished(server.close)
    const { backup, bucket, contents, id, source } = await makeSource()
    const target = await Deployments.make(server)
    expect((await Deployments.run(target, "migrate")).code).toBe(0)
    const execute = (statement: string) => server.execute(target.env["DATABASE_URL"] ?? "", statement)
    await execute(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''failed''; END'`)
    await execute("CREATE TRIGGER failing BEFORE UPDATE ON deployment EXECUTE FUNCTION fail()")
    expect((await Deployments.run(target, "restore", backup)).code).toBe(1)
    await execute("DROP TRIGGER failing ON deployment")
    await Deployments.runJson(source, "backup", backup)
    await expectUnfinished(target, backup, id)
    const api = await Deployments.open(target, bucket.key)
    expect(await Deployments.readAll(api, bucket.files)).toEqual(contents)
  })
})
