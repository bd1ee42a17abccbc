/**
 * Kills a process that is about to complete a concatenation of tus.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { toNodeListener } from "../../../src/index.ts"
import * as MountedHoldfast from "../../mount/MountedHoldfast.ts"
import * as Process from "../../support/Process.ts"
import * as Requests from "../../support/Requests.ts"

const program = fileURLToPath(new URL("../../programs/concatenate.ts", import.meta.url))

interface Sent {
  readonly key: string
  readonly uploads: string
  readonly partials: ReadonlyArray<string>
}

it("SIGKILL before the completion → partial uploads have their bytes, the same request makes the file, repeated ones too", async () => {
  const directory = await Process.makeDirectory()
  const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [printed] = await once(child.stdout, "data")
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
  const { key, partials, uploads } = JSON.parse(String(printed)) as Sent

  const holdfast = await open({
    metadata: sqlite({ file: Path.join(directory, "app.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") }),
    secretKey: new Uint8Array(32).fill(1)
  })
  onTestFinished(() => holdfast.close())
  const url = await MountedHoldfast.serve(toNodeListener(holdfast))
  const api = Requests.make(`${url}/api/v1`, key)
  const tus = { "tus-resumable": "1.0.0" }
  for (const [index, path] of partials.entries()) {
    const head = await api.request("HEAD", `${url}${path}`, { headers: tus })
    expect([head.status, head.headers.get("upload-offset")]).toEqual([200, ["12", "11"][index]])
  }
  const join = async () => {
    const headers = { ...tus, "upload-concat": `final;${partials.join(" ")}` }
    const answer = await api.post(`${uploads}?name=joined.txt`, { headers })
    const { status } = answer
    return { status, file: answer.headers.get("holdfast-file-id"), location: answer.headers.get("location") }
  }
  const joined = await join()
  expect(joined).toMatchObject({ status: 201, file: expect.stringContaining("fil_") })
  const view = await api.get(`${uploads.replace(/uploads$/, "")}${joined.file}/view`)
  expect(await view.text()).toBe("first half, second half")
  // As a client that did not get the answer.
  expect(await join()).toEqual(joined)
})
