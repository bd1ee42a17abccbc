/**
 * Runs the tour of the README in a shell.
 */
import * as Requires from "@holdfast/testing/Requires"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import { promisify } from "node:util"
import { expect, it, onTestFinished } from "vitest"
import * as TestServer from "../../support/TestServer.ts"

const { describe } = Requires.requires(
  Requires.firstMissing(Requires.command("bash", "--version"), Requires.command("curl", "--version"))
)

describe("README", () => {
  it("tour pasted into a shell → the contents, the range, the record, the member", async () => {
    const server = await TestServer.start()
    onTestFinished(() => server.close())
    const readme = await Fs.readFile(new URL("../../../../../README.md", import.meta.url), "utf8")
    const [, tour = ""] = /^## A tour\n+```sh\n(.*?)^```/ms.exec(readme) ?? []
    const commands = tour.replace(/^API=.*$/m, `API=${server.url}/api/v1`).replace(/^KEY=.*$/m, `KEY=${server.rootKey}`)
    expect(commands).toContain(server.rootKey)
    const { stderr, stdout } = await promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", commands])
    expect(stderr).toBe("")
    expect(stdout).toMatch(
      /^Hello from Holdfast\nHello\{.*"alias":"hello".*"size".*\}\{.*"version":2.*reader@example\.com/s
    )
  })
})
