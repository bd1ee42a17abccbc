import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"

/** Runs a program of the example several times in a directory that is empty before. Returns its outputs. */
const run = (program: string, times: number, env: NodeJS.ProcessEnv = {}): ReadonlyArray<string> => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "library-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  const main = fileURLToPath(new URL(`../src/${program}`, import.meta.url))
  return Array.from({ length: times }, () =>
    execFileSync(process.execPath, [main], { cwd: directory, encoding: "utf8", env: { ...process.env, ...env } })
  )
}

describe("Holdfast as a library", () => {
  it("promises.ts: upload and read, in two runs → response with type and content", () => {
    const output = "200 text/plain; charset=utf-8 Hello\n"
    assert.deepStrictEqual(run("promises.ts", 2), [output, output])
  })

  it("background.ts: secret key in the environment, two runs → webhook created, then found", () => {
    const env = { HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64") }
    assert.deepStrictEqual(run("background.ts", 2, env), ["Search index ACTIVE\n", "Search index ACTIVE\n"])
  })

  it("effect.ts: upload and read, in two runs → content", () => {
    assert.deepStrictEqual(run("effect.ts", 2), ["Hello\n", "Hello\n"])
  })
})
