/**
 * Users of this machine, for servers that must not run as root.
 */
import { existsSync, readFileSync } from "node:fs"

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/** Whether this process runs as root. */
export const isRoot = process.getuid?.() === 0

/** Returns the user of this name; undefined when there is none. */
export const find = (name: string): SystemUser | undefined => {
  const entries = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8").split("\n") : []
  const [, , uid, gid] = entries.find((line) => line.startsWith(`${name}:`))?.split(":") ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** Returns the user without privileges that every Unix system has. */
export const findUnprivileged = (): SystemUser | undefined => find("nobody")
