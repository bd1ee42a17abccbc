/**
 * Contents of a running service that are damaged, and restored from a backup.
 */
import { requires } from "@holdfast/testing/Requires"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as Database from "../support/Database.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Deployments from "./Deployments.ts"

interface Damageable {
  /** The path of the file below the API. */
  readonly file: string
  /** The path of its content on the disk. */
  readonly content: string
}

const restoreDamaged = async (server: Database.Database | undefined): Promise<void> => {
  const source = await Deployments.make(server)
  const bucket = await Deployments.begin(source)
  const contents = new Map<string, string>()
  const made: Array<Damageable> = []
  const known = new Set<string>()
  const upload = async (name: string): Promise<Damageable> => {
    const bytes = new Uint8Array(2_000_000).fill(made.length + 1)
    const file = await ServiceBucket.uploadFile(bucket, name, bytes)
    contents.set(name, Deployments.sha256(bytes))
    const paths = await Deployments.filesBelow(Path.join(source.data, "blobs"))
    const content = paths.find((path) => !known.has(path)) ?? ""
    known.add(content)
    return { file, content }
  }
  for (let i = 0; i < 5; i++) made.push(await upload(`f${i}`))
  const backup = await Process.makeDirectory()
  await Deployments.runJson(source, "backup", backup)
  expect(await Deployments.runJson(source, "restore", backup, "--only-damaged")).toEqual({
    checked: 5,
    restored: 0,
    lost: 0
  })

  const [flipped, truncated, removed] = made
  if (flipped === undefined || truncated === undefined || removed === undefined) throw new Error("no files")
  const bytes = await Fs.readFile(flipped.content)
  bytes[1_000_000] = 99
  await Fs.writeFile(flipped.content, bytes)
  await Fs.truncate(truncated.content, 1000)
  await Fs.rm(removed.content)
  const later = await upload("later")
  await Fs.rm(later.content)
  const restored = await Deployments.run(source, "restore", backup, "--only-damaged", "--json")
  expect([restored.code, JSON.parse(restored.stdout)]).toEqual([1, { checked: 6, restored: 3, lost: 1 }])
  for (const { content } of [flipped, truncated, removed]) {
    expect(restored.stderr).toMatch(new RegExp(`^Restored .*${Path.basename(content)}$`, "m"))
  }
  expect(restored.stderr).toMatch(new RegExp(`^Missing .*${Path.basename(later.content)}`, "m"))

  await expectProblem(await bucket.api.get(`${later.file}/view`), 500, "content_damaged")
  expect((await json<{ readonly damaged: unknown }>(await bucket.api.get(later.file))).damaged).toBeTruthy()
  expect((await bucket.api.delete(later.file)).status).toBe(204)
  contents.delete("later")
  expect(await Deployments.readAll(bucket.api, bucket.files)).toEqual(contents)
  const again = await Deployments.run(source, "restore", backup, "--only-damaged")
  expect([again.code, again.stdout]).toEqual([0, "5 contents checked: 0 restored, 0 still damaged.\n"])
}

const timeout = { timeout: 480_000 }

it("restore --only-damaged: SQLite → damaged and missing contents as they were, others named", timeout, () =>
  restoreDamaged(undefined)
)

requires(Database.missing).describe("PostgreSQL", () => {
  it("restore --only-damaged → damaged and missing contents as they were, others named", timeout, async () => {
    const server = await Database.start()
    await restoreDamaged(server).finally(server.close)
  })
})

it("restore --only-damaged: with --snapshot, or without a database → refused", timeout, async () => {
  const source = await Deployments.make(undefined)
  const bucket = await Deployments.begin(source)
  const backup = await Process.makeDirectory()
  await Deployments.runJson(source, "backup", backup)
  await bucket.service.stop()
  const both = await Deployments.run(source, "restore", backup, "--only-damaged", "--snapshot", "x")
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("leave --snapshot out")])
  const empty = await Deployments.make(undefined)
  const refused = await Deployments.run(empty, "restore", backup, "--only-damaged")
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("There is no database")])
  await expect(Fs.access(empty.data)).rejects.toThrow()
})
