/**
 * The device fails to read one content (EIO), while it reads and writes others.
 */
import { command, requires } from "@holdfast/testing/Requires"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as MirrorRequests from "../../mirrors/MirrorRequests.ts"
import { json } from "../../support/Problems.ts"
import * as Process from "../../support/Process.ts"
import * as ServiceBucket from "../../support/ServiceBucket.ts"

/** Lets all reads of a file by the service fail. Returns what ends that. */
const failReads = async ({ child }: Process.Service, path: string) => {
  const args = ["-f", "-p", String(child.pid), "-P", path, "-e", "trace=read,pread64"]
  const strace = spawn("strace", [...args, "-e", "inject=read,pread64:error=EIO"], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  onTestFinished(() => void strace.kill("SIGKILL"))
  await once(strace.stderr, "data")
  strace.stderr.resume()
  return async () => {
    strace.kill("SIGINT")
    await once(strace, "exit")
  }
}

/** Returns the path of a bucket's only content of a size. */
const findContent = (data: string, bucketId: string, size: number): string => {
  const path = Fs.readdirSync(Path.join(data, "blobs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Path.join(entry.parentPath, entry.name))
    .find((path) => path.includes(bucketId) && Fs.statSync(path).size === size)
  if (path === undefined) throw new Error("no such content")
  return path
}

const metricsOf = async ({ url }: Process.Service): Promise<string> => (await fetch(`${url}/metrics`)).text()

const missing = command("strace", "-f", "-e", "inject=read:error=EIO:when=1000", "true")

requires(missing).describe("one content not readable", () => {
  it.each([5_000, 60_000, 3_000_000])(
    "content of %i bytes → 503, then damaged in the record and 500; others are served; readable again → served",
    { timeout: 120_000 },
    async (size) => {
      const bucket = await ServiceBucket.start()
      const { api, service } = bucket
      const content = new Uint8Array(size).fill(7)
      const path = await ServiceBucket.uploadFile(bucket, "a.bin", content)
      const other = await ServiceBucket.uploadFile(bucket, "b.bin", new Uint8Array(size + 1))
      const restore = await failReads(service, findContent(service.data, bucket.bucketId, size))
      // The head of a large content is sent before its first byte is read: then the connection breaks.
      const first = await api.get(`${path}/view`).then(
        (response) => response.status,
        () => 503
      )
      expect([200, 503]).toContain(first)
      const isDamaged = async () => (await json<{ readonly damaged: boolean }>(await api.get(path))).damaged
      await expect.poll(isDamaged, { timeout: 30_000 }).toBe(true)
      const answer = await api.get(`${path}/view`)
      expect([answer.status, (await json<{ readonly code: string }>(answer)).code]).toEqual([500, "content_damaged"])
      expect((await api.head(`${path}/view`)).status).toBe(500)
      expect((await api.get(`${other}/view`)).status).toBe(200)
      expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
      expect(await metricsOf(service)).toMatch(/^holdfast_contents_damaged_total\{kind="Damaged"\} 1$/m)

      await restore()
      expect(await Process.run(["scrub", "--data-dir", service.data])).toMatchObject({ code: 0 })
      expect(await isDamaged()).toBe(false)
      expect(Buffer.from(await (await api.get(`${path}/view`)).arrayBuffer()).equals(content)).toBe(true)
    }
  )

  it("content with a copy at a mirror → repaired", { timeout: 120_000 }, async () => {
    const source = await MirrorRequests.start()
    const target = await MirrorRequests.createTarget(source.api, "target")
    const mirror = await MirrorRequests.createMirror(source, MirrorRequests.mirrorToTenant(target))
    const content = Buffer.alloc(100_000, 7)
    const { id } = await MirrorRequests.upload(source, { name: "a.bin", path: "/" }, content)
    await MirrorRequests.untilCopied(source, mirror.id)
    const restore = await failReads(source.service, findContent(source.service.data, source.bucketId, content.length))
    const view = async () => (await source.api.get(`${source.files}/${id}/view`)).arrayBuffer()
    await expect(view()).rejects.toThrow()
    await expect.poll(source.service.stderr, { timeout: 60_000 }).toContain("damaged content repaired")
    await restore()
    const answer = await source.api.get(`${source.files}/${id}/view`)
    expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(content)]).toEqual([200, true])
    expect(await metricsOf(source.service)).toMatch(/^holdfast_contents_repaired_total 1$/m)
  })
})
