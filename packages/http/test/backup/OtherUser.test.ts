/**
 * Commands that root runs on the data directory of another user's service, such as that of the systemd unit.
 */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Deployments from "./Deployments.ts"

/** The number of the user who owns the data directory. It needs no name. */
const user = 65_000

/** Returns the files and directories below a directory that have another owner. */
const findOthers = async (directory: string): Promise<ReadonlyArray<string>> => {
  const paths = await Fs.readdir(directory, { recursive: true })
  const owners = await Promise.all(paths.map(async (path) => (await Fs.stat(Path.join(directory, path))).uid))
  return paths.filter((_, index) => owners[index] !== user)
}

/** Gives a directory and all that it has to the user. */
const giveAll = async (directory: string): Promise<void> => {
  const paths = (await Fs.readdir(directory, { recursive: true })).map((path) => Path.join(directory, path))
  await Promise.all([directory, ...paths].map((path) => Fs.chown(path, user, user)))
}

const timeout = { timeout: 120_000 }

/** Makes a deployment whose data directory is empty and belongs to the user. */
const makeEmpty = async (): Promise<Deployments.Deployment> => {
  const deployment = await Deployments.make(undefined)
  await Fs.mkdir(deployment.data)
  await Fs.chown(deployment.data, user, user)
  return deployment
}

describe.skipIf(process.getuid?.() !== 0)("data directory of another user", () => {
  it(
    "migrate, keys create and serve by root in an empty directory → the user owns everything that they create",
    timeout,
    async () => {
      const migrated = await makeEmpty()
      expect(await Deployments.run(migrated, "migrate")).toMatchObject({ code: 0 })
      expect(await findOthers(migrated.data)).toEqual([])
      const created = await makeEmpty()
      expect(await Deployments.run(created, "keys", "create", "--email", "ada@example.com")).toMatchObject({ code: 0 })
      expect(await findOthers(created.data)).toEqual([])
      const served = await makeEmpty()
      await (await Process.serve(served)).stop()
      expect(await findOthers(served.data)).toEqual([])
      expect(await Fs.readdir(served.data)).toContain("secret.key")
    }
  )

  it("restore and restore --only-damaged by root → the user owns everything that they create", timeout, async () => {
    const source = await Deployments.make(undefined)
    const bucket = await Deployments.begin(source)
    for (const name of ["a", "b"]) await ServiceBucket.uploadFile(bucket, name, new TextEncoder().encode(name))
    const backup = await Process.makeDirectory()
    await Deployments.runJson(source, "backup", backup)
    await bucket.service.stop()

    await Fs.rm(Path.join(source.data, "blobs", bucket.tenantId), { recursive: true })
    await giveAll(source.data)
    expect(await Deployments.runJson(source, "restore", backup, "--only-damaged")).toMatchObject({ restored: 2 })
    expect(await findOthers(source.data)).toEqual([])

    const target = await makeEmpty()
    expect(await Deployments.runJson(target, "restore", backup)).toMatchObject({ copied: 2 })
    expect(await findOthers(target.data)).toEqual([])
  })
})
