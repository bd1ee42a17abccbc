/**
 * Finds Ceph's programs, and an unprivileged user to run them as.
 */
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import * as SystemUser from "./SystemUser.ts"

const programs = ["radosgw", "radosgw-admin", "ceph", "ceph-authtool", "ceph-mon", "ceph-osd", "monmaptool"] as const

export type Program = (typeof programs)[number]

const isFound = (program: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((directory) => existsSync(join(directory, program)))

/**
 * The user to run the servers as, since they need no privileges: undefined for the current user, unless that is root.
 */
export const user: SystemUser.SystemUser | undefined = SystemUser.isRoot ? SystemUser.findUnprivileged() : undefined

/** The reason why this machine cannot run a gateway; undefined when it can. */
export const missing: string | undefined = programs.every(isFound)
  ? SystemUser.isRoot && user === undefined
    ? "there is no unprivileged user to run Ceph as"
    : undefined
  : "Ceph's gateway (radosgw, ceph-mon, ceph-osd, ceph-common) is not installed"
