import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import { json } from "../support/Problems.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as StoreIdentity from "../support/StoreIdentity.ts"

/** Returns the paths of all contents in a data directory, in the order of their creation. */
const findContents = async (data: string): Promise<ReadonlyArray<string>> => {
  const entries = await Fs.readdir(Path.join(data, "blobs"), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => Path.join(entry.parentPath, entry.name))
    .filter((path) => !StoreIdentity.isIdentity(path))
    .toSorted((a, b) => (Path.basename(a) < Path.basename(b) ? -1 : 1))
}

const flipBit = async (path: string, at: number): Promise<void> => {
  const bytes = await Fs.readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await Fs.writeFile(path, bytes)
}

const scrub = (data: string, ...args: ReadonlyArray<string>) => Process.run(["scrub", "--data-dir", data, ...args])

it("scrub: contents intact, service running → exit code 0", async () => {
  const bucket = await ServiceBucket.start()
  await ServiceBucket.uploadFile(bucket, "a.bin", new Uint8Array(3_000_000))
  await ServiceBucket.uploadFile(bucket, "b.bin", new Uint8Array(0))
  const { code, stderr, stdout } = await scrub(bucket.service.data)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(stdout).toMatch(/^2 contents, .*: 0 damaged, 0 repaired, 0 could not be read\.\n$/)
})

it("scrub: bits flipped, service running → found, 500 content_damaged, in the record and in fsck; mended → cleared", async () => {
  const bucket = await ServiceBucket.start()
  const { api, service } = bucket
  const sizes = [10, 70_000, 3_000_000, 5]
  const paths: Array<string> = []
  for (const [index, size] of sizes.entries()) {
    paths.push(await ServiceBucket.uploadFile(bucket, `${index}.bin`, new Uint8Array(size).fill(index)))
  }
  const contents = await findContents(service.data)
  const rotten = [0, 1, 2]
  const flip = () => Promise.all(rotten.map((index) => flipBit(contents[index] ?? "", (sizes[index] ?? 0) - 1)))
  await flip()

  const found = await scrub(service.data)
  expect(found.code).toBe(1)
  expect(found.stdout.match(/^Damaged .* of fil_/gm)).toHaveLength(3)
  expect(found.stdout).toMatch(/4 contents, .*: 3 damaged, 0 repaired, 0 could not be read\.\n$/)
  for (const [index, path] of paths.entries()) {
    const isRotten = rotten.includes(index)
    expect(await json(await api.get(path))).toMatchObject({ damaged: isRotten })
    for (const request of [
      () => api.get(`${path}/view`),
      () => api.get(`${path}/download`),
      () => api.head(`${path}/view`),
      () => api.get(`${path}/view`, { headers: { range: "bytes=0-0" } })
    ]) {
      const answer = await request()
      expect(answer.status).toBe(isRotten ? 500 : answer.headers.has("content-range") ? 206 : 200)
    }
  }
  const checked = await Process.run(["fsck", "--data-dir", service.data])
  expect(checked.code).toBe(1)
  expect(checked.stdout.match(/^Damaged .* are not those of its record$/gm)).toHaveLength(3)

  await flip()
  expect(await scrub(service.data)).toMatchObject({ code: 0 })
  for (const path of paths) {
    expect(await json(await api.get(path))).toMatchObject({ damaged: false })
    expect((await api.get(`${path}/view`)).status).toBe(200)
  }
})

it(
  "scrub in the background: bit flipped → one event in the log, metrics, and the record says so",
  { timeout: 90_000 },
  async () => {
    const bucket = await ServiceBucket.start()
    const path = await ServiceBucket.uploadFile(bucket, "a.bin", new Uint8Array(100_000))
    await bucket.service.stop()
    const [content = ""] = await findContents(bucket.service.data)
    await flipBit(content, 50_000)
    // The scrub of the first start has finished. The next one is due a second later.
    const service = await Process.serve({ data: bucket.service.data, env: { HOLDFAST_SCRUB_PERIOD: "1s" } })
    const api = { ...bucket.api, get: (to: string) => bucket.api.get(`${service.url}/api/v1${to}`) }
    await expect
      .poll(async () => (await json<{ damaged: boolean }>(await api.get(path))).damaged, { timeout: 30_000 })
      .toBe(true)
    expect((await api.get(`${path}/view`)).status).toBe(500)
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
    expect(await metrics()).toMatch(/^holdfast_contents_damaged_total\{kind="Damaged"\} 1$/m)
    await expect.poll(metrics, { timeout: 20_000 }).toMatch(/^holdfast_scrub_bytes_total \d+$/m)
    expect(
      service
        .stderr()
        .split("\n")
        .filter((line) => line.includes("content damaged"))
    ).toHaveLength(1)
  }
)
