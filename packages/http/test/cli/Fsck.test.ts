import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as Bucket from "../support/Bucket.ts"
import * as Process from "../support/Process.ts"

/** Every content in a data directory. */
const contents = async (data: string): Promise<ReadonlyArray<string>> => {
  const entries = await Fs.readdir(Path.join(data, "blobs"), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => Path.join(entry.parentPath, entry.name))
}

const fsck = (data: string, ...args: ReadonlyArray<string>) => Process.run(["fsck", "--data-dir", data, ...args])

it("finds nothing wrong beside a running service", async () => {
  const bucket = await Bucket.start()
  await Bucket.put(bucket, "a.bin", new Uint8Array(10))
  expect(await fsck(bucket.service.data)).toMatchObject({
    code: 0,
    stdout: "1 records, 1 contents: 0 findings, 0 left.\n",
    stderr: ""
  })
})

it("finds contents without a record, and removes them on demand, beside a running service", async () => {
  const bucket = await Bucket.start()
  const path = await Bucket.put(bucket, "a.bin", new TextEncoder().encode("kept"))
  const { data } = bucket.service
  const [known = ""] = await contents(data)
  // As a restored backup would: the record is gone, the bytes are there.
  const orphan = known.replace(/[0-9a-f]{12}$/, (tail) => `${"0".repeat(10)}${tail.slice(-2)}`)
  await Fs.copyFile(known, orphan)

  const found = await fsck(data)
  expect(found.code).toBe(1)
  expect(found.stdout).toContain(`Orphan`)
  expect(found.stdout).toContain(Path.basename(orphan))
  expect(found.stdout).toContain("1 findings, 1 left.")
  expect(await contents(data)).toContain(orphan)

  const repaired = await fsck(data, "--repair")
  expect(repaired.code).toBe(0)
  expect(repaired.stdout).toContain("(repaired)")
  expect(await contents(data)).toEqual([known])
  expect(await (await bucket.api.get(`${path}/view`)).text()).toBe("kept")
})

it("tells what is lost, which nothing repairs", async () => {
  const bucket = await Bucket.start()
  await Bucket.put(bucket, "a.bin", new Uint8Array(10))
  await Bucket.put(bucket, "b.bin", new Uint8Array(20))
  await bucket.service.stop()
  const { data } = bucket.service
  const [one = "", two = ""] = await contents(data)
  await Fs.rm(one)
  await Fs.truncate(two, 5)
  for (const args of [[], ["--repair"]]) {
    const found = await fsck(data, ...args)
    expect(found.code).toBe(1)
    expect(found.stdout).toMatch(/^Missing .* of fil_/m)
    expect(found.stdout).toMatch(/^WrongSize .* of fil_/m)
    expect(found.stderr).toBe("holdfast: 2 contents are lost or damaged. Only a backup can bring them back.\n")
  }
})
