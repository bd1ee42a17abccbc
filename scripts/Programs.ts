/**
 * Programs of the machine, found without starting them.
 */
import { accessSync, constants, readdirSync, statSync } from "node:fs"
import { delimiter, join } from "node:path"

/** Whether a path is a file that this process may execute. */
export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The path of a program in the directories of PATH, undefined when it is in none of them. */
export const find = (name: string): string | undefined => {
  const file = process.platform === "win32" ? `${name}.exe` : name
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter((directory) => directory !== "")
    .map((directory) => join(directory, file))
    .find(isExecutable)
}

/** Whether PostgreSQL's server programs are here: Debian keeps them in a directory per version, outside PATH. */
export const hasPostgres = (): boolean => {
  if (find("initdb") !== undefined && find("postgres") !== undefined) return true
  try {
    return readdirSync("/usr/lib/postgresql").some((version) =>
      isExecutable(`/usr/lib/postgresql/${version}/bin/initdb`)
    )
  } catch {
    return false
  }
}
