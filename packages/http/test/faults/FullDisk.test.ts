/**
 * A disk that uploads fill up to the reserve, and that other programs fill to the last byte: what is stored stays readable, and
 * revoking, deleting, sweeping and starting work.
 */
import * as Requires from "@holdfast/testing/Requires"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as StoreIdentity from "../support/StoreIdentity.ts"

const missing = Requires.command(
  "sh",
  "-c",
  'd=$(mktemp -d) && trap \'rmdir "$d"\' EXIT && mount -t tmpfs -o size=1m tmpfs "$d" && umount "$d"'
)

const mebibyte = 1024 * 1024

/** Mounts a disk until the test ends. Processes of the test end before. */
const mount = (size: string): string => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-disk-"))
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", directory])
  onTestFinished(() => {
    execFileSync("umount", [directory])
    Fs.rmdirSync(directory)
  })
  return directory
}

const freeBytes = (directory: string): number => {
  const { bavail, bsize } = Fs.statfsSync(directory)
  return bavail * bsize
}

/** Takes every free byte, as another program on the disk would. */
const fill = (directory: string): void => {
  const descriptor = Fs.openSync(Path.join(directory, "other"), "a")
  try {
    for (const size of [mebibyte, 4096]) {
      try {
        for (;;) Fs.writeSync(descriptor, new Uint8Array(size))
      } catch (error) {
        expect(error).toMatchObject({ code: "ENOSPC" })
      }
    }
  } finally {
    Fs.closeSync(descriptor)
  }
  expect(freeBytes(directory)).toBe(0)
}

const removeOther = (directory: string): void => Fs.rmSync(Path.join(directory, "other"))

const env = {
  HOLDFAST_DISK_RESERVE: "16MiB",
  HOLDFAST_SWEEP_INTERVAL: "1s",
  HOLDFAST_BLOB_GRACE: "1s",
  HOLDFAST_CONVERSIONS: "0"
}

const countBlobs = (data: string): number =>
  Fs.readdirSync(Path.join(data, "blobs"), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !StoreIdentity.isIdentity(`${entry.parentPath}/`)
  ).length

const upload = (bucket: ServiceBucket.ServiceBucket, name: string, bytes: number) => {
  const form = new FormData()
  form.set("body", JSON.stringify({ name }))
  form.set("file", new Blob([new Uint8Array(bytes)]))
  return bucket.api.post(`${bucket.files}/upload`, { body: form })
}

/** Uploads contents of this size until one is refused. Returns the paths of the files. */
const uploadUntilFull = async (bucket: ServiceBucket.ServiceBucket, bytes: number): Promise<ReadonlyArray<string>> => {
  const paths: Array<string> = []
  for (;;) {
    const response = await upload(bucket, `${bytes}-${paths.length}`, bytes)
    if (response.status !== 201) {
      const { detail } = await expectProblem(response, 507, "storage_full")
      expect(detail).toMatch(/storage of this deployment is full/)
      return paths
    }
    paths.push(`${bucket.files}/${(await json<{ id: string }>(response)).id}`)
  }
}

const makeToken = async ({ api, tenantId }: ServiceBucket.ServiceBucket, count: number) => {
  const tenant = `/tenants/${tenantId}`
  const members = await json<{ items: ReadonlyArray<{ id: string }> }>(await api.get(`${tenant}/members`))
  const tokens: Array<{ readonly path: string; readonly key: string }> = []
  for (let index = 0; index < count; index++) {
    const body = { name: "t", member: { id: members.items[0]?.id } }
    const token = await json<{ id: string; key: string }>(await api.post(`${tenant}/tokens`, { json: body }))
    tokens.push({ path: `${tenant}/tokens/${token.id}`, key: token.key })
  }
  return tokens
}

/** Revokes a token, deletes a file and waits until its content is swept. */
const expectRelief = async (
  { api, service }: Pick<ServiceBucket.ServiceBucket, "api" | "service">,
  token: { readonly path: string; readonly key: string } | undefined,
  file: string | undefined
) => {
  expect((await api.get("/me", { key: token?.key ?? "" })).status).toBe(200)
  expect((await api.delete(token?.path ?? "")).status).toBe(204)
  await expectProblem(await api.get("/me", { key: token?.key ?? "" }), 401, "unauthenticated")
  const before = countBlobs(service.data)
  expect((await api.delete(file ?? "")).status).toBe(204)
  await expect.poll(() => countBlobs(service.data), { timeout: 20_000 }).toBeLessThan(before)
}

Requires.requires(missing).describe("disk of 96 MiB with a reserve of 16 MiB", () => {
  it("uploads until 507 → the reserve is free; nothing new is accepted; revoke, delete, sweep and restart work", async () => {
    const disk = mount("96m")
    const data = Path.join(disk, "data")
    const bucket = await ServiceBucket.start({ data, env })
    const tokens = await makeToken(bucket, 3)
    const files = await uploadUntilFull(bucket, 4 * mebibyte)
    await uploadUntilFull(bucket, 100_000)
    await uploadUntilFull(bucket, 10_000)
    // Contents leave the reserve. The database's log may grow by 4 MiB, and while a checkpoint runs by more.
    expect(freeBytes(disk)).toBeGreaterThan(8 * mebibyte)
    expect(freeBytes(disk)).toBeLessThan(18 * mebibyte)
    // New records do not take what is left either. The service reads the free space once per second.
    let count = 0
    const reserve = () => bucket.api.post(bucket.files, { json: { name: `record-${++count}` } })
    await expect.poll(async () => (await reserve()).status, { timeout: 20_000 }).toBe(507)
    await expectProblem(await reserve(), 507, "storage_full")
    const tenant = `/tenants/${bucket.tenantId}`
    await expectProblem(await bucket.api.post(`${tenant}/buckets`, { json: { name: "c" } }), 507, "storage_full")
    // Neither does a content whose declared length has no room, before its bytes arrive.
    const declared = { body: new Uint8Array(2 * mebibyte) }
    await expectProblem(await bucket.api.post(`${files[1]}/reupload`, declared), 507, "storage_full")
    expect((await (await bucket.api.get(`${files[1]}/view`)).arrayBuffer()).byteLength).toBe(4 * mebibyte)
    const ready = await fetch(`${bucket.service.url}/health/ready`)
    expect(ready.status).toBe(200)
    expect(await ready.json()).toEqual({
      status: "storage_full",
      checks: { metadata: "ok", blobs: "storage_full", clock: "ok" }
    })
    const metrics = await (await fetch(`${bucket.service.url}/metrics`)).text()
    expect(metrics).toContain(`holdfast_disk_reserve_bytes ${16 * mebibyte}`)
    expect(metrics).toMatch(/holdfast_disk_free_bytes 1\d{7}\n/)

    await expectRelief(bucket, tokens[0], files[0])
    // The database's log may have grown by as much as one file has left.
    for (const file of files.slice(2, 5)) expect((await bucket.api.delete(file)).status).toBe(204)
    const fits = async () => (await upload(bucket, "fits again", 100_000)).status
    await expect.poll(fits, { timeout: 20_000 }).toBe(201)
    await bucket.service.stop()
    const service = await Process.serve({ data, env })
    const api = Requests.make(`${service.url}/api/v1`, bucket.key)
    await expectRelief({ api, service }, tokens[1], files[1])
  }, 120_000)

  it("other programs take every byte → revoke, delete and sweep work; space freed → uploads work", async () => {
    const disk = mount("96m")
    const data = Path.join(disk, "data")
    const bucket = await ServiceBucket.start({ data, env })
    await expect.poll(() => Fs.existsSync(Path.join(data, "holdfast.ballast.3")), { timeout: 20_000 }).toBe(true)
    const tokens = await makeToken(bucket, 2)
    const files = await uploadUntilFull(bucket, 8 * mebibyte)
    fill(disk)
    await expectRelief(bucket, tokens[0], files[0])
    fill(disk)
    await expectRelief(bucket, tokens[1], files[1])
    removeOther(disk)
    expect((await upload(bucket, "fits again", 100_000)).status).toBe(201)
  }, 120_000)

  it("no byte free at the start → the service starts; revoke, delete and sweep work", async () => {
    const disk = mount("96m")
    const data = Path.join(disk, "data")
    const bucket = await ServiceBucket.start({ data, env })
    await expect.poll(() => Fs.existsSync(Path.join(data, "holdfast.ballast.3")), { timeout: 20_000 }).toBe(true)
    const tokens = await makeToken(bucket, 1)
    const files = await uploadUntilFull(bucket, 8 * mebibyte)
    await bucket.service.stop()
    fill(disk)
    const service = await Process.serve({ data, env })
    const api = Requests.make(`${service.url}/api/v1`, bucket.key)
    await expectRelief({ api, service }, tokens[0], files[0])
  }, 120_000)
})
