/**
 * Finds programs that are installed on this machine, without starting them.
 */
import { accessSync, constants, readdirSync, statSync } from "node:fs"
import { delimiter, join } from "node:path"

/** Returns whether a path is a file that this process may execute. */
export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Returns the path of a program in the directories of PATH; undefined when it is in none of them. */
export const find = (name: string): string | undefined => {
  const file = process.platform === "win32" ? `${name}.exe` : name
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter((directory) => directory !== "")
    .map((directory) => join(directory, file))
    .find(isExecutable)
}

/**
 * Returns whether PostgreSQL's server programs are installed. Debian keeps them in a directory per version, outside of
 * PATH.
 */
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
