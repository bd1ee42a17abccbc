/**
 * Makes the directory of the files that the tests of one run share, and removes it after the run.
 */
import * as SharedFiles from "@holdfast/testing/SharedFiles"
import * as Fs from "node:fs/promises"

export const setup = (): (() => Promise<void>) => {
  const directory = SharedFiles.makeParent()
  // Vitest starts its workers with this environment.
  process.env["HOLDFAST_SHARED_FILES"] = directory
  // Servers that the workers have just stopped may still write.
  return () => Fs.rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
