/**
 * Directories that the processes of one test run share: each is made once, when a test first needs it. The variable
 * `HOLDFAST_SHARED_FILES` has the path of their parent; without it, a process has directories of its own, which it removes when
 * it exits.
 */
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Makes the parent of shared directories. Servers that run as another user read them. */
export const makeParent = (): string => {
  const path = Fs.mkdtempSync(join(tmpdir(), "holdfast-shared-"))
  Fs.chmodSync(path, 0o755)
  return path
}

let own: string | undefined

/** Returns the parent of the shared directories. */
const parent = (): string => {
  const shared = process.env["HOLDFAST_SHARED_FILES"] ?? own
  if (shared !== undefined) return shared
  const made = makeParent()
  process.once("exit", () => Fs.rmSync(made, { recursive: true, force: true }))
  own = made
  return made
}

const made = new Map<string, Promise<string>>()

const make = async (name: string, fill: (directory: string) => Promise<void>): Promise<string> => {
  const path = join(parent(), name)
  if (Fs.existsSync(path)) return path
  const directory = Fs.mkdtempSync(`${path}-`)
  await fill(directory)
  try {
    Fs.renameSync(directory, path)
  } catch (error) {
    // Another process has made it meanwhile.
    if (!Fs.existsSync(path)) throw error
    Fs.rmSync(directory, { recursive: true })
  }
  return path
}

/**
 * Returns the path of the directory `name`, which `fill` fills when no process of the run has it yet. No one changes its files
 * afterwards.
 */
export const directory = (name: string, fill: (directory: string) => Promise<void>): Promise<string> => {
  const found = made.get(name) ?? make(name, fill)
  made.set(name, found)
  return found
}
