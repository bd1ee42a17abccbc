/**
 * Files and processes of this machine.
 */
import { chmodSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs"

/** Writes one file from several. */
export const concatenate = (from: ReadonlyArray<string>, to: string): void =>
  writeFileSync(to, Buffer.concat(from.map((path) => readFileSync(path))))

/** The lines of a text file. */
export const lines = (path: string): ReadonlyArray<string> => readFileSync(path, "utf8").split("\n").filter(Boolean)

/** Writes a program in shell. */
export const program = (path: string, script: string): void => {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

/** The processes that work in a directory, by Linux's list of them. */
export const processesIn = (directory: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return readlinkSync(`/proc/${id}/cwd`) === directory
      } catch {
        // It ended meanwhile, or belongs to somebody else.
        return false
      }
    })
    .map(Number)
