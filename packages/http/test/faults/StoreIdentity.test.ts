/**
 * A database and a blob store that do not belong together: a wrong directory, a restore without contents, another database.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"

// Each test starts several processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const text = new TextEncoder().encode("content")

/** Starts a service that must not start. Returns the one line that it prints. */
const refused = async (data: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const { code, stderr, stdout } = await Process.run(["serve", "--port", "0", "--data-dir", data], { env })
  expect([code, stdout]).toEqual([2, ""])
  const lines = stderr.trimEnd().split("\n")
  expect(lines.at(-1)).toMatch(/^holdfast: .*fsck --adopt-store/)
  return lines.at(-1) ?? ""
}

const fsck = (data: string, env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  Process.run(["fsck", "--data-dir", data, ...args], { env })

describe("store identity with SQLite", () => {
  it("contents lost, database kept → exit code 2; adopted → starts, and reports the lost content", async () => {
    const bucket = await ServiceBucket.start()
    const { data } = bucket.service
    await ServiceBucket.uploadFile(bucket, "a.txt", text)
    await bucket.service.stop()
    await Fs.rm(Path.join(data, "blobs"), { recursive: true })
    expect(await refused(data)).toContain("none of the contents")
    expect((await fsck(data, {}, "--repair")).code).toBe(2)
    const adopted = await fsck(data, {}, "--adopt-store")
    expect([adopted.code, adopted.stdout]).toEqual([1, expect.stringContaining("Missing")])
    await (await Process.serve({ data })).stop()
  })

  it("database lost, contents kept → exit code 2, nothing removed", async () => {
    const bucket = await ServiceBucket.start()
    const { data } = bucket.service
    await ServiceBucket.uploadFile(bucket, "a.txt", text)
    await bucket.service.stop()
    for (const name of await Fs.readdir(data)) {
      if (name.startsWith("holdfast.sqlite")) await Fs.rm(Path.join(data, name))
    }
    expect(await refused(data)).toContain("has contents")
  })

  it("deployment of a version without identities → recorded at the start", async () => {
    const bucket = await ServiceBucket.start()
    const { data } = bucket.service
    const path = await ServiceBucket.uploadFile(bucket, "a.txt", text)
    await bucket.service.stop()
    const execute = (statement: string) => {
      const database = new DatabaseSync(Path.join(data, "holdfast.sqlite"))
      const rows = database.prepare(statement).all()
      database.close()
      return rows
    }
    execute("DELETE FROM deployment")
    await Fs.rm(Path.join(data, "blobs", "ten_00000000-0000-7000-8000-000000000000"), { recursive: true })
    // Without an identity, only the contents show that the store belongs to another deployment.
    const other = await ServiceBucket.start()
    await ServiceBucket.uploadFile(other, "b.txt", text)
    await other.service.stop()
    const mixed = await Process.makeDirectory()
    await Fs.cp(Path.join(other.service.data, "blobs"), Path.join(mixed, "blobs"), { recursive: true })
    await Fs.copyFile(Path.join(data, "holdfast.sqlite"), Path.join(mixed, "holdfast.sqlite"))
    const before = await Fs.readdir(mixed, { recursive: true })
    for (const command of ["fsck --repair", "scrub", `backup ${await Process.makeDirectory()}`]) {
      const found = await Process.run([...command.split(" "), "--data-dir", mixed])
      expect([found.code, found.stderr]).toEqual([2, expect.stringContaining("not the one that belongs")])
    }
    expect(await Fs.readdir(mixed, { recursive: true })).toEqual(before)
    const again = await Process.serve({ data })
    const found = await fetch(`${again.url}/api/v1${path}/view`, { headers: { "x-api-key": bucket.key } })
    expect(await found.text()).toBe("content")
    await again.stop()
    expect(execute("SELECT store_id FROM deployment")).toHaveLength(1)
    expect((await fsck(data, {})).code).toBe(0)
  })
})

Requires.requires(Database.missing).describe("store identity with PostgreSQL", () => {
  let database: Database.Database
  beforeAll(async () => {
    database = await Database.start()
  })
  afterAll(() => database.close())

  it("second node with another directory → exit code 2 with one line, also for fsck; the first one continues", async () => {
    const env = { DATABASE_URL: await database.create() }
    const bucket = await ServiceBucket.start({ env })
    const path = await ServiceBucket.uploadFile(bucket, "a.txt", text)
    const other = await Process.makeDirectory()
    expect(await refused(other, env)).toContain("none of the contents")
    expect((await fsck(other, env, "--repair")).code).toBe(2)
    expect(await (await bucket.api.get(`${path}/view`)).text()).toBe("content")
    expect((await fsck(bucket.service.data, env)).code).toBe(0)
  })

  it("first start of two nodes with different directories at the same time → exactly one starts", async () => {
    const env = { DATABASE_URL: await database.create() }
    const nodes = await Promise.all(
      [1, 2].map(async () =>
        Process.start(["serve", "--port", "0", "--data-dir", await Process.makeDirectory()], { env })
      )
    )
    const started = await Promise.all(
      nodes.map((node) =>
        Promise.race([node.untilPrinted(/listens on/).then(() => true), node.exited.then(() => false)]).catch(
          () => false
        )
      )
    )
    expect(started.toSorted()).toEqual([false, true])
    const refusedNode = nodes.find((_, index) => started[index] === false)
    expect((await refusedNode?.exited)?.code).toBe(2)
  })

  it("empty database, directory of another deployment → exit code 2", async () => {
    const bucket = await ServiceBucket.start({ env: { DATABASE_URL: await database.create() } })
    await ServiceBucket.uploadFile(bucket, "a.txt", text)
    await bucket.service.stop()
    expect(await refused(bucket.service.data, { DATABASE_URL: await database.create() })).toContain("has contents")
  })
})
