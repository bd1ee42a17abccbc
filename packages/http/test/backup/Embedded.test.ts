/**
 * The commands beside a program that has embedded Holdfast, with the layout that the pages show.
 */
import { type Holdfast, open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as Process from "../support/Process.ts"
import * as StoreIdentity from "../support/StoreIdentity.ts"
import * as Deployments from "./Deployments.ts"

const secretKey = randomBytes(32)

const openIn = async (data: string): Promise<Holdfast> => {
  const holdfast = await open({
    metadata: sqlite({ file: `${data}/holdfast.sqlite` }),
    blobs: fs({ directory: data }),
    secretKey
  })
  onTestFinished(() => holdfast.close())
  return holdfast
}

it(
  "commands beside an open Holdfast → it is backed up, checked, repaired and restored",
  { timeout: 60_000 },
  async () => {
    const deployment = await Deployments.make(undefined, { HOLDFAST_SECRET_KEY: secretKey.toString("base64") })
    const holdfast = await openIn(deployment.data)
    const ada = holdfast.account("ada@example.com")
    const { id: tenantId } = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
    const { id: bucketId } = await holdfast.buckets.create(ada, { tenantId, name: "files" })
    const content = randomBytes(1_000_000)
    const { id: fileId } = await holdfast.files.upload(ada, { tenantId, bucketId, name: "a.bin", content })
    const file = { tenantId, bucketId, fileId }

    const backup = await Process.makeDirectory()
    expect(await Deployments.runJson(deployment, "backup", backup)).toMatchObject({ contents: "copy" })
    expect((await Process.run(["verify-backup", backup])).code).toBe(0)
    expect((await Deployments.run(deployment, "fsck")).code).toBe(0)

    const paths = await Deployments.filesBelow(Path.join(deployment.data, "blobs"))
    const path = paths.find((one) => !StoreIdentity.isIdentity(one)) ?? ""
    await Fs.writeFile(path, Buffer.from(content).fill(0, 500_000, 500_100))
    expect((await Deployments.run(deployment, "scrub")).code).toBe(1)
    await expect(holdfast.files.read(ada, file)).rejects.toMatchObject({ code: "content_damaged" })
    expect(await Deployments.runJson(deployment, "restore", backup, "--only-damaged")).toMatchObject({ restored: 1 })
    expect(Buffer.from(await (await holdfast.files.read(ada, file)).bytes()).equals(content)).toBe(true)

    const restored = await Deployments.make(undefined, deployment.env)
    expect((await Deployments.run(restored, "restore", backup)).code).toBe(0)
    const copy = await openIn(restored.data)
    const download = await copy.files.read(copy.account("ada@example.com"), file)
    expect(Buffer.from(await download.bytes()).equals(content)).toBe(true)
  }
)
