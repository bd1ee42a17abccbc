/**
 * Damaged backups and damaged stores.
 */
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as BackedUp from "./BackedUp.ts"
import * as Deployments from "./Deployments.ts"

const flipBit = async (path: string, position: number): Promise<void> => {
  const bytes = await Fs.readFile(path)
  bytes[position] = (bytes[position] ?? 0) ^ 1
  await Fs.writeFile(path, bytes)
}

/** Replaces fields in the record of a snapshot. */
const changeRecord = async (snapshot: string, fields: object): Promise<void> => {
  const path = Path.join(snapshot, "snapshot.json")
  const record = JSON.parse(await Fs.readFile(path, "utf8"))
  await Fs.writeFile(path, JSON.stringify({ ...record, ...fields }))
}

/** Returns a deployment whose service is stopped, its backup, and the contents in that. */
const makeBackup = async (count: number) => {
  const made = await BackedUp.make(count, 1000)
  return { ...made, contents: await Deployments.filesBelow(Path.join(made.backup, "blobs")) }
}

it(
  "verify-backup: contents damaged, truncated and missing → each is named, exit code 1; removed and backed up again → 0",
  { timeout: 480_000 },
  async () => {
    const { backup, contents, source } = await makeBackup(5)
    const [one = "", two = "", three = ""] = contents
    await flipBit(one, 500)
    await Fs.truncate(two, 999)
    await Fs.rm(three)
    const found = await Process.run(["verify-backup", backup])
    expect([found.code, found.stdout]).toEqual([1, "1 snapshots, 5 contents: 3 faults.\n"])
    const lines = found.stderr.split("\n")
    for (const [kind, path] of [
      ["Damaged", one],
      ["WrongSize", two],
      ["Missing", three]
    ] as const) {
      expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${kind} .*${Path.basename(path)}`)))
    }

    const target = await Deployments.make(undefined)
    const restored = await Deployments.run(target, "restore", backup)
    expect([restored.code, restored.stdout]).toEqual([1, expect.stringContaining("5 contents, 5.0 kB; 3 findings.")])
    expect(restored.stderr.match(/^Missing .* of fil_/gm)).toHaveLength(3)

    await Fs.rm(one)
    expect(await Deployments.runJson(source, "backup", backup)).toMatchObject({ copied: 3, lost: 0 })
    expect((await Process.run(["verify-backup", backup])).code).toBe(0)
  }
)

it(
  "verify-backup, restore: metadata damaged or missing → exit code 1, nothing restored",
  { timeout: 480_000 },
  async () => {
    const { backup, snapshot } = await makeBackup(1)
    const metadata = Path.join(snapshot, "metadata.sqlite")
    for (const damage of [() => flipBit(metadata, 20_000), () => Fs.rm(metadata)]) {
      await damage()
      const found = await Process.run(["verify-backup", backup])
      expect([found.code, found.stderr]).toEqual([1, expect.stringContaining(metadata)])
      const target = await Deployments.make(undefined)
      const restored = await Deployments.run(target, "restore", backup)
      expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining(metadata)])
      await expect(Fs.access(target.data)).rejects.toThrow()
    }
  }
)

it("restore: snapshot of a newer schema → exit code 1, which version is needed", { timeout: 480_000 }, async () => {
  const { backup, snapshot } = await makeBackup(1)
  await changeRecord(snapshot, { schema: 1000 })
  const restored = await Deployments.run(await Deployments.make(undefined), "restore", backup)
  expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining("has schema 1000")])
})

it(
  "verify-backup, restore: snapshot of a newer version whose migration has a low id → exit code 1, which one",
  { timeout: 480_000 },
  async () => {
    const { backup, snapshot } = await makeBackup(1)
    const metadata = Path.join(snapshot, "metadata.sqlite")
    const database = new DatabaseSync(metadata)
    database.exec("INSERT INTO holdfast_migration (migration_id, name) VALUES (0, 'of_a_newer_version')")
    database.close()
    const bytes = await Fs.readFile(metadata)
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    await changeRecord(snapshot, { metadata: { size: bytes.length, sha256 } })
    const verified = await Process.run(["verify-backup", backup])
    expect([verified.code, verified.stderr]).toEqual([1, expect.stringContaining("has migration 0")])
    const restored = await Deployments.run(await Deployments.make(undefined), "restore", backup)
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining("has migration 0")])
  }
)

it("backup: content damaged in the store → named, the others saved, exit code 1", { timeout: 480_000 }, async () => {
  const { source } = await makeBackup(3)
  const [one = "", two = ""] = await Deployments.filesBelow(Path.join(source.data, "blobs"))
  await flipBit(one, 3)
  await Fs.rm(two)
  const backup = await Process.makeDirectory()
  const made = await Deployments.run(source, "backup", backup)
  expect([made.code, made.stdout]).toEqual([1, expect.stringContaining("3 contents, 3.0 kB; copied 1, 1.0 kB.")])
  expect(made.stderr).toMatch(new RegExp(`^Damaged .*${Path.basename(one)}`, "m"))
  expect(made.stderr).toMatch(new RegExp(`^Missing .*${Path.basename(two)}`, "m"))
  expect(await Deployments.filesBelow(Path.join(backup, "blobs"))).toHaveLength(1)
})

it("backup --keep: older snapshots, and the contents that only they have → removed", { timeout: 480_000 }, async () => {
  const { backup, bucket: stopped, source } = await makeBackup(2)
  const bucket = { ...stopped, api: await Deployments.open(source, stopped.key) }
  const path = await ServiceBucket.uploadFile(bucket, "brief", new Uint8Array(10))
  await Deployments.runJson(source, "backup", backup)
  await bucket.api.delete(path)
  await ServiceBucket.uploadFile(bucket, "last", new Uint8Array(20))
  const kept = await Deployments.runJson(source, "backup", backup, "--keep", "2")
  expect(kept).toMatchObject({ count: 3, copied: 1, removedContents: 0 })
  expect(kept["removedSnapshots"]).toHaveLength(1)
  expect(await Deployments.filesBelow(Path.join(backup, "blobs"))).toHaveLength(4)
  const one = await Deployments.runJson(source, "backup", backup, "--keep", "1")
  expect(one).toMatchObject({ count: 3, copied: 0, removedContents: 1 })
  expect(await Deployments.filesBelow(Path.join(backup, "blobs"))).toHaveLength(3)
  const verified = await Process.run(["verify-backup", backup])
  expect([verified.code, verified.stdout]).toEqual([0, "1 snapshots, 3 contents: 0 faults.\n"])
})

it(
  "backup: directory with other files, or inside of the data directory → exit code 1, nothing written",
  { timeout: 480_000 },
  async () => {
    const { source } = await makeBackup(1)
    const other = await Process.makeDirectory()
    await Fs.writeFile(Path.join(other, "a.txt"), "a")
    const refused = await Deployments.run(source, "backup", other)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("neither empty nor a backup")])
    expect(await Fs.readdir(other)).toEqual(["a.txt"])
    const inside = await Deployments.run(source, "backup", Path.join(source.data, "backup"))
    expect([inside.code, inside.stderr]).toEqual([1, expect.stringContaining("inside of the data directory")])
    const nowhere = await Process.makeDirectory()
    const missing = await Deployments.run({ ...source, data: nowhere }, "backup", other)
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("There is no database")])
    expect(await Fs.readdir(nowhere)).toEqual([])
  }
)

it(
  "backup: modes and secrets → only its user can read it; HOLDFAST_SECRET_KEY set → no key in it",
  { timeout: 480_000 },
  async () => {
    const written = await Deployments.make(undefined)
    await ServiceBucket.uploadFile(await Deployments.begin(written), "f", new Uint8Array(1000))
    const backup = Path.join(await Process.makeDirectory(), "backup")
    const { id } = await Deployments.runJson(written, "backup", backup)
    const snapshot = Path.join(backup, "snapshots", String(id))
    for (const path of await Deployments.filesBelow(backup)) expect((await Fs.stat(path)).mode & 0o077, path).toBe(0)
    for (const path of [snapshot, Path.join(backup, "blobs")])
      expect((await Fs.stat(path)).mode & 0o777, path).toBe(0o700)

    const env = { HOLDFAST_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") }
    const source = await Deployments.make(undefined, env)
    await Deployments.begin(source)
    const keyless = await Process.makeDirectory()
    const made = await Deployments.run(source, "backup", keyless)
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining("Keep the value of HOLDFAST_SECRET_KEY")])
    const files = await Deployments.filesBelow(keyless)
    expect(files.some((path) => path.endsWith("secret.key"))).toBe(false)
    for (const path of files) expect((await Fs.readFile(path)).includes(env.HOLDFAST_SECRET_KEY)).toBe(false)
  }
)
