import * as Fs from "node:fs/promises"
import { createServer } from "node:net"
import * as Path from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Process from "../support/Process.ts"

/** Returns a port that another server listens on. */
const occupiedPort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

const oneLine = /^holdfast: [^\n]+\n$/

describe("invalid configuration → exit code 2, one line on standard error, nothing created", () => {
  it.each([
    [["--port", "70000"], {}, /--port on the command line: expected a port number/],
    [["--bogus"], {}, /--bogus/],
    [
      ["--prot", "1"],
      {},
      /: --prot in command holdfast serve\. Did you mean this\? --port \(see holdfast serve --help\)/
    ],
    [[], { HOLDFAST_ROOT_KEY: "hf_wrong" }, /HOLDFAST_ROOT_KEY in the environment/],
    [[], { DATABASE_URL: "mysql://user:hunter2@host/x" }, /DATABASE_URL in the environment/],
    [[], { HOLDFAST_FRAME_ANCESTORS: "https//a.example" }, /HOLDFAST_FRAME_ANCESTORS in the environment: expected so/],
    [[], { HOLDFAST_CONFIG: "/nowhere/holdfast.json" }, /\/nowhere\/holdfast\.json/]
  ])("%j %j", async (args, env, expected) => {
    const data = Path.join(await Process.makeDirectory(), "data")
    const finished = await Process.run(["serve", "--data-dir", data, ...args], { env })
    expect(finished.code).toBe(2)
    expect(finished.stdout).toBe("")
    expect(Process.withoutLog(finished.stderr)).toMatch(oneLine)
    expect(finished.stderr).toMatch(expected)
    expect(finished.stderr).not.toMatch(/hunter2|hf_wrong/)
    await expect(Fs.access(data)).rejects.toThrow()
  })

  it("several faults → one line each", async () => {
    const finished = await Process.run(["serve", "--port", "x", "--idle-timeout", "y"])
    expect(finished.code).toBe(2)
    expect(finished.stderr.trim().split("\n")).toHaveLength(2)
  })
})

describe("service cannot start", () => {
  it("port in use → exit code 1, one line with the address", async () => {
    const port = await occupiedPort()
    const finished = await Process.run(["serve", "--port", String(port), "--data-dir", await Process.makeDirectory()])
    expect(finished.code).toBe(1)
    expect(Process.withoutLog(finished.stderr)).toMatch(oneLine)
    expect(finished.stderr).toContain(`127.0.0.1:${port} is in use`)
    expect(finished.stdout).toBe("")
  })

  it("data directory locked by another service → exit code 1, one line; the other service continues", async () => {
    const first = await Process.serve()
    const second = await Process.run(["serve", "--port", "0", "--data-dir", first.data])
    expect(second.code).toBe(1)
    expect(Process.withoutLog(second.stderr)).toMatch(oneLine)
    expect(Process.withoutLog(second.stderr)).toBe(
      `holdfast: Another process holds the data directory ${first.data}. Stop that process, or use another directory.\n`
    )
    expect((await fetch(`${first.url}/health/ready`)).status).toBe(200)
  })

  it("data directory cannot be created → exit code 1, one line", async () => {
    const file = Path.join(await Process.makeDirectory(), "file")
    await Fs.writeFile(file, "")
    const finished = await Process.run(["serve", "--port", "0", "--data-dir", Path.join(file, "data")])
    expect(finished.code).toBe(1)
    expect(Process.withoutLog(finished.stderr)).toMatch(oneLine)
  })

  it("database does not answer → exit code 1, one line with the cause and the settings, without its password", async () => {
    const url = `postgres://someone:hunter2@127.0.0.1:1/holdfast`
    const finished = await Process.run(["serve", "--port", "0", "--data-dir", await Process.makeDirectory()], {
      env: { DATABASE_URL: url, HOLDFAST_START_TIMEOUT: "1s", HOLDFAST_LOG_LEVEL: "error" }
    })
    expect(finished.code).toBe(1)
    expect(Process.withoutLog(finished.stderr)).toBe(
      "holdfast: The database cannot be opened: connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL and --data-dir.\n"
    )
  })
})

describe("data directory", () => {
  it("created → accessible to its owner only; the secret key survives a restart", async () => {
    const service = await Process.serve()
    const modes = await Promise.all(
      ["", "secret.key", "holdfast.sqlite", "blobs"].map(async (name) => {
        const { mode } = await Fs.stat(Path.join(service.data, name))
        return mode & 0o777
      })
    )
    expect(modes.slice(1)).toEqual([0o600, 0o600, 0o700])
    const key = await Fs.readFile(Path.join(service.data, "secret.key"), "utf8")
    expect(Buffer.from(key, "base64url")).toHaveLength(32)
    await service.stop()
    await (await Process.serve({ data: service.data })).stop()
    expect(await Fs.readFile(Path.join(service.data, "secret.key"), "utf8")).toBe(key)
  })

  it("secret.key malformed → exit code 1", async () => {
    const data = await Process.makeDirectory()
    await Fs.writeFile(Path.join(data, "secret.key"), "too short")
    const finished = await Process.run(["serve", "--port", "0", "--data-dir", data])
    expect(finished.code).toBe(1)
    expect(Process.withoutLog(finished.stderr)).toMatch(oneLine)
    expect(finished.stderr).toContain("secret.key")
  })
})

it("environment variable that is no setting → a warning with the setting that it resembles, without its value", async () => {
  const env = { HOLDFAST_DATADIR: "/hunter2", HOLDFAST_KEY: "of a client", HOLDFAST_WORKERS: "2" }
  const service = await Process.serve({ env })
  await service.stop()
  const warnings = service.stderr().match(/^.*environment variable ignored.*$/gm) ?? []
  expect(warnings.map((line) => JSON.parse(line).annotations)).toEqual([
    { variable: "HOLDFAST_DATADIR", didYouMean: "HOLDFAST_DATA_DIR" }
  ])
  expect(service.stderr()).not.toContain("hunter2")
})

it("serve --help → options and environment variables", async () => {
  const { code, stdout } = await Process.run(["serve", "--help"])
  expect(code).toBe(0)
  for (const text of ["--port", "--data-dir", "--cors-origins", "DATABASE_URL", "HOLDFAST_ROOT_KEY"]) {
    expect(stdout).toContain(text)
  }
})

it("--version → the version", async () => {
  const { code, stdout } = await Process.run(["--version"])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})
