/**
 * Helpers for files and processes.
 */
import { chmodSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"

/** Concatenates files. */
export const concatenate = (from: ReadonlyArray<string>, to: string): void =>
  writeFileSync(to, Buffer.concat(from.map((path) => readFileSync(path))))

/** Returns the lines of a text file that are not empty. */
export const lines = (path: string): ReadonlyArray<string> => readFileSync(path, "utf8").split("\n").filter(Boolean)

/** Writes an executable shell script. */
export const program = (path: string, script: string): void => {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

/** Returns the ids of the processes whose working directory this is, from /proc. */
export const processesIn = (directory: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return readlinkSync(`/proc/${id}/cwd`) === directory
      } catch {
        // The process has exited, or belongs to another user.
        return false
      }
    })
    .map(Number)
