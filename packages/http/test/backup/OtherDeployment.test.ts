/**
 * Backups and restores with the store, or the backup, of another deployment.
 */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it, vi } from "vitest"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Deployments from "./Deployments.ts"

// Each test starts several processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

/** Makes a deployment with one file, and stops its service. */
const makeStopped = async () => {
  const source = await Deployments.make(undefined)
  const bucket = await Deployments.begin(source)
  const bytes = new TextEncoder().encode("content")
  await ServiceBucket.uploadFile(bucket, "a", bytes)
  await bucket.service.stop()
  const contents = new Map([["a", Deployments.sha256(bytes)]])
  return { source, bucket, contents, blobs: Path.join(source.data, "blobs") }
}

/** Gives a deployment the contents of another one. */
const replaceContents = async () => {
  const made = await makeStopped()
  const other = await makeStopped()
  await Fs.rm(made.blobs, { recursive: true })
  await Fs.cp(other.blobs, made.blobs, { recursive: true })
  return made
}

it("backup: store of another deployment → exit code 2 with one line, nothing written", async () => {
  const { source } = await replaceContents()
  const backup = Path.join(await Process.makeDirectory(), "backup")
  for (const contents of ["copy", "manifest"]) {
    const refused = await Deployments.run(source, "backup", backup, "--contents", contents)
    expect([refused.code, refused.stdout]).toEqual([2, ""])
    expect(refused.stderr).toMatch(/^holdfast: The blob store is not the one that belongs to the database\. .*\n$/)
  }
  await expect(Fs.stat(backup)).rejects.toThrow("ENOENT")
})

it("backup: directory of another deployment → exit code 1, no snapshot; --adopt-destination → continues it", async () => {
  const { source } = await makeStopped()
  const backup = await Process.makeDirectory()
  await Deployments.runJson(source, "backup", backup)
  const refused = async (deployment: Deployments.Deployment) => {
    const before = await Deployments.filesBelow(Path.join(backup, "snapshots"))
    const finished = await Deployments.run(deployment, "backup", backup, "--keep", "1")
    expect([finished.code, finished.stderr]).toEqual([1, expect.stringContaining("backup of another deployment")])
    expect(await Deployments.filesBelow(Path.join(backup, "snapshots"))).toEqual(before)
  }
  await refused((await makeStopped()).source)

  const restored = await Deployments.make(undefined)
  await Deployments.runJson(restored, "restore", backup)
  await refused(restored)
  expect(await Deployments.runJson(restored, "backup", backup, "--adopt-destination")).toMatchObject({ copied: 0 })
  expect(await Deployments.runJson(restored, "backup", backup)).toMatchObject({ count: 1, copied: 0 })
  await refused(source)
})

it("restore --only-damaged: all contents lost → restored, and the service starts", async () => {
  const { blobs, bucket, contents, source } = await makeStopped()
  const backup = await Process.makeDirectory()
  await Deployments.runJson(source, "backup", backup)
  await Fs.rm(blobs, { recursive: true })
  await Fs.mkdir(blobs)
  expect(await Deployments.runJson(source, "restore", backup, "--only-damaged")).toMatchObject({ restored: 1, lost: 0 })
  const api = await Deployments.open(source, bucket.key)
  expect(await Deployments.readAll(api, bucket.files)).toEqual(contents)
})

it("restore --only-damaged: store of another deployment → exit code 2, nothing written", async () => {
  const { blobs, source } = await replaceContents()
  const backup = await Process.makeDirectory()
  await Deployments.runJson((await makeStopped()).source, "backup", backup)
  const before = await Deployments.filesBelow(blobs)
  const refused = await Deployments.run(source, "restore", backup, "--only-damaged")
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("is not the one that belongs")])
  expect(await Deployments.filesBelow(blobs)).toEqual(before)
})
