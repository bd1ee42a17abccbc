import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import { createServer } from "node:http"
import * as Path from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Process from "../support/Process.ts"

const size = 50 * 1024 * 1024

const environment = ({ bucketId, key, service, tenantId }: ServiceBucket.ServiceBucket) => ({
  HOLDFAST_URL: service.url,
  HOLDFAST_KEY: key,
  HOLDFAST_TENANT: tenantId,
  HOLDFAST_BUCKET: bucketId
})

describe("upload and download", () => {
  it("50 MiB → the same bytes back, progress on standard error, no draft left", async () => {
    const bucket = await ServiceBucket.start()
    const env = environment(bucket)
    const cwd = await Process.makeDirectory()
    const content = randomBytes(size)
    await Fs.writeFile(Path.join(cwd, "large file.bin"), content)

    const up = await Process.run(["upload", "large file.bin", "--path", "/in/"], { env, cwd })
    expect(up).toMatchObject({ code: 0 })
    expect(up.stderr).toMatch(/^large file\.bin {2}.*52\.4 MB in /m)
    expect(up.stderr).not.toContain("\r")
    const record: { readonly id: string } = JSON.parse(up.stdout)
    expect(record).toMatchObject({ name: "large file.bin", path: "/in/", state: "READY" })

    const down = await Process.run(["download", record.id, "--output", "back.bin"], { env, cwd })
    expect(down).toMatchObject({ code: 0, stdout: "back.bin\n" })
    expect((await Fs.readFile(Path.join(cwd, "back.bin"))).equals(content)).toBe(true)
    expect((await Fs.readdir(cwd)).toSorted()).toEqual(["back.bin", "large file.bin"])
  })

  it("flags instead of variables, an empty file, an existing target → --force needed, - for standard output", async () => {
    const bucket = await ServiceBucket.start()
    const cwd = await Process.makeDirectory()
    await Fs.writeFile(Path.join(cwd, "local"), "")
    const target = ["--url", `${bucket.service.url}/api/v1`, "--tenant", bucket.tenantId, "--bucket", bucket.bucketId]
    const all = [...target, "--key", bucket.key]
    const up = await Process.run(["upload", "local", "--name", 'a "b" ü.txt', ...all], { cwd })
    const { id }: { readonly id: string } = JSON.parse(up.stdout)
    const down = await Process.run(["download", id, ...all], { cwd })
    expect(down.stdout).toBe('a "b" ü.txt\n')
    expect(await Fs.readFile(Path.join(cwd, 'a "b" ü.txt'), "utf8")).toBe("")

    const again = await Process.run(["download", id, ...all], { cwd })
    expect(again).toMatchObject({ code: 1 })
    expect(again.stderr).toContain("--force")
    expect(await Process.run(["download", id, "--force", ...all], { cwd })).toMatchObject({ code: 0 })
    const printed = await Process.run(["download", id, "--output", "-", ...all], { cwd })
    expect(printed).toMatchObject({ code: 0, stdout: "" })
  })

  it("file with the name - → written to a file of this name, not to standard output", async () => {
    const bucket = await ServiceBucket.start()
    const env = environment(bucket)
    const cwd = await Process.makeDirectory()
    await Fs.writeFile(Path.join(cwd, "local"), "content")
    const up = await Process.run(["upload", "local", "--name", "-"], { env, cwd })
    const { id }: { readonly id: string } = JSON.parse(up.stdout)
    const down = await Process.run(["download", id], { env, cwd })
    expect(down).toMatchObject({ code: 0, stdout: "./-\n" })
    expect(await Fs.readFile(Path.join(cwd, "-"), "utf8")).toBe("content")
  })

  it("longest name, beside a file of its name and .part → both are right", async () => {
    const bucket = await ServiceBucket.start()
    const env = environment(bucket)
    const cwd = await Process.makeDirectory()
    await Fs.writeFile(Path.join(cwd, "local"), "content")
    for (const name of ["a".repeat(255), "b"]) {
      const up = await Process.run(["upload", "local", "--name", name], { env, cwd })
      const { id }: { readonly id: string } = JSON.parse(up.stdout)
      if (name === "b") await Fs.writeFile(Path.join(cwd, "b.part"), "mine")
      const down = await Process.run(["download", id], { env, cwd })
      expect(down).toMatchObject({ code: 0, stdout: `${name}\n` })
      expect(await Fs.readFile(Path.join(cwd, name), "utf8")).toBe("content")
    }
    expect(await Fs.readFile(Path.join(cwd, "b.part"), "utf8")).toBe("mine")
    expect(await Fs.readdir(cwd)).toHaveLength(4)
  })

  it("service refuses → one line with status and code, nothing sent or written", async () => {
    const bucket = await ServiceBucket.start()
    const cwd = await Process.makeDirectory()
    await Fs.writeFile(Path.join(cwd, "a.bin"), Buffer.alloc(size))
    const env = { ...environment(bucket), HOLDFAST_KEY: "hf_wrong" }
    const up = await Process.run(["upload", "a.bin"], { env, cwd })
    expect(up.code).toBe(1)
    expect(up.stderr.trim().split("\n").at(-1)).toMatch(/^holdfast: The service answered 401: .*\(unauthenticated\)$/)
    expect(up.stderr).toContain("a.bin  0 B in")
    const down = await Process.run(["download", "fil_none"], { env: environment(bucket), cwd })
    expect(down.code).toBe(1)
    expect(down.stderr).toMatch(/^holdfast: The service answered 404: .*\(not_found\)\n$/)
    expect(await Fs.readdir(cwd)).toEqual(["a.bin"])
  })

  it("service not reachable → one line, exit code 1", async () => {
    const env = { HOLDFAST_URL: "http://127.0.0.1:1", HOLDFAST_KEY: "k", HOLDFAST_TENANT: "t", HOLDFAST_BUCKET: "b" }
    const down = await Process.run(["download", "fil_none"], { env })
    expect(down).toMatchObject({ code: 1 })
    expect(down.stderr).toMatch(/^holdfast: http:\/\/127\.0\.0\.1:1 did not complete the request: [^\n]+\n$/)
  })

  it("tenant and bucket missing → exit code 2", async () => {
    const finished = await Process.run(["upload", "a.bin", "--key", "k"])
    expect(finished.code).toBe(2)
    expect(finished.stderr).toContain("Missing required flag: --tenant, or HOLDFAST_TENANT in the environment")
  })
})

describe("download fails", () => {
  /** Starts a service that sends contents that match neither their record nor their length. */
  const startFaultyService = async (content: string, length: number): Promise<string> => {
    const server = createServer((request, response) => {
      if (request.url?.endsWith("/download") !== true) {
        return void response.end(JSON.stringify({ name: "a.txt", checksum: { sha256: "0".repeat(64) } }))
      }
      response.writeHead(200, { "content-length": length })
      response.write(content)
      if (content.length === length) response.end()
      else setImmediate(() => response.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("no port")
    return `http://127.0.0.1:${address.port}`
  }

  it.each([
    ["checksum differs", "hello", 5, /do not match the checksum/],
    ["connection closed early", "hello", 10, /download failed/]
  ])("%s → exit code 1, no file left", async (_, content, length, expected) => {
    const cwd = await Process.makeDirectory()
    const url = await startFaultyService(content, length)
    const env = { HOLDFAST_URL: url, HOLDFAST_KEY: "k", HOLDFAST_TENANT: "t", HOLDFAST_BUCKET: "b" }
    const down = await Process.run(["download", "fil_x"], { env, cwd })
    expect(down.code).toBe(1)
    expect(down.stderr).toMatch(expected)
    expect(await Fs.readdir(cwd)).toEqual([])
  })
})
