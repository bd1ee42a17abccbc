/**
 * A Holdfast in a directory that goes with the test.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { onTestFinished } from "vitest"

export const opened = async () => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-example-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  const holdfast = await open({
    metadata: sqlite({ file: Path.join(directory, "metadata.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") })
  })
  onTestFinished(() => holdfast.close())
  return holdfast
}
