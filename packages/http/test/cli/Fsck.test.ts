import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Process from "../support/Process.ts"
import * as StoreIdentity from "../support/StoreIdentity.ts"

/** Returns the paths of all contents in a data directory. */
const findContents = async (data: string): Promise<ReadonlyArray<string>> => {
  const entries = await Fs.readdir(Path.join(data, "blobs"), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => Path.join(entry.parentPath, entry.name))
    .filter((path) => !StoreIdentity.isIdentity(path))
}

const fsck = (data: string, ...args: ReadonlyArray<string>) => Process.run(["fsck", "--data-dir", data, ...args])

it("fsck: stores consistent, service running → no findings, exit code 0", async () => {
  const bucket = await ServiceBucket.start()
  await ServiceBucket.uploadFile(bucket, "a.bin", new Uint8Array(10))
  expect(await fsck(bucket.service.data)).toMatchObject({
    code: 0,
    stdout: "1 records, 1 contents: 0 findings, 0 not repaired.\n",
    stderr: ""
  })
})

it("fsck: content without a record, service running → Orphan, exit code 1; with --repair removed", async () => {
  const bucket = await ServiceBucket.start()
  const path = await ServiceBucket.uploadFile(bucket, "a.bin", new TextEncoder().encode("kept"))
  const { data } = bucket.service
  const [known = ""] = await findContents(data)
  // The state after a restored backup: the bytes are there, the record is not.
  const orphan = known.replace(/[0-9a-f]{12}$/, (tail) => `${"0".repeat(10)}${tail.slice(-2)}`)
  await Fs.copyFile(known, orphan)

  const found = await fsck(data)
  expect(found.code).toBe(1)
  expect(found.stdout).toContain(`Orphan`)
  expect(found.stdout).toContain(Path.basename(orphan))
  expect(found.stdout).toContain("1 findings, 1 not repaired.")
  expect(await findContents(data)).toContain(orphan)

  const repaired = await fsck(data, "--repair")
  expect(repaired.code).toBe(0)
  expect(repaired.stdout).toContain("(repaired)")
  expect(await findContents(data)).toEqual([known])
  expect(await (await bucket.api.get(`${path}/view`)).text()).toBe("kept")
})

it("fsck: content missing or truncated → Missing and WrongSize, exit code 1, with and without --repair", async () => {
  const bucket = await ServiceBucket.start()
  await ServiceBucket.uploadFile(bucket, "a.bin", new Uint8Array(10))
  await ServiceBucket.uploadFile(bucket, "b.bin", new Uint8Array(20))
  await bucket.service.stop()
  const { data } = bucket.service
  const [one = "", two = ""] = await findContents(data)
  await Fs.rm(one)
  await Fs.truncate(two, 5)
  for (const args of [[], ["--repair"]]) {
    const found = await fsck(data, ...args)
    expect(found.code).toBe(1)
    expect(found.stdout).toMatch(/^Missing .* of fil_/m)
    expect(found.stdout).toMatch(/^WrongSize .* of fil_/m)
    expect(found.stderr).toBe(
      "holdfast: 2 contents are lost or damaged. Restore them with `holdfast restore --only-damaged`.\n"
    )
  }
})

it("fsck, scrub, lists: the data directory has no database → exit code 2, nothing created, no content removed", async () => {
  const bucket = await ServiceBucket.start()
  await ServiceBucket.uploadFile(bucket, "a.bin", new Uint8Array(10))
  await bucket.service.stop()
  const { data } = bucket.service
  // As in a program that has chosen another name for its database.
  await Fs.rename(Path.join(data, "holdfast.sqlite"), Path.join(data, "app.sqlite"))
  const before = await Fs.readdir(data, { recursive: true })
  const tenant = "ten_00000000-0000-7000-8000-000000000001"
  const commands = [
    ["fsck", "--repair"],
    ["fsck", "--adopt-store"],
    ["scrub"],
    ["tenants"],
    ["buckets", tenant],
    ["keys", "list"],
    ["events"],
    ["quota", "get", tenant],
    ["s3", "credentials", "create", tenant, "tok_00000000-0000-7000-8000-000000000001"]
  ]
  for (const command of commands) {
    const refused = await Process.run([...command, "--data-dir", data])
    expect([command, refused.code, refused.stdout]).toEqual([command, 2, ""])
    expect(refused.stderr).toBe(
      `holdfast: There is no database ${Path.join(data, "holdfast.sqlite")}. Set --data-dir to the data directory, or DATABASE_URL.\n`
    )
  }
  expect(await Fs.readdir(data, { recursive: true })).toEqual(before)
})
