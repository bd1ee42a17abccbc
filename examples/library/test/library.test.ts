import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"

/** Runs a program of the example in an empty directory. Returns its output. */
const run = (program: string, env: NodeJS.ProcessEnv = {}): string => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "library-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  const main = fileURLToPath(new URL(`../src/${program}`, import.meta.url))
  return execFileSync(process.execPath, [main], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, ...env }
  })
}

describe("Holdfast as a library", () => {
  it("promises.ts: upload and read → response with type and content", () => {
    assert.strictEqual(run("promises.ts"), "200 text/plain; charset=utf-8 Hello\n")
  })

  it("background.ts: secret key in the environment → webhook created", () => {
    const output = run("background.ts", { HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64") })
    assert.strictEqual(output, "Search index ACTIVE\n")
  })

  it("effect.ts: upload and read → content", () => {
    assert.strictEqual(run("effect.ts"), "Hello\n")
  })
})
