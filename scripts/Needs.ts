/**
 * What a command needs of the machine, and the Debian packages that bring it.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import * as Apt from "./Apt.ts"
import * as Programs from "./Programs.ts"

export interface Need {
  readonly name: string
  /** Must be quick: it is asked at every start. */
  readonly isMet: () => boolean
  readonly packages: ReadonlyArray<string>
  /** Runs before the packages are installed. */
  readonly before?: () => void
  /** Runs after the packages are installed. */
  readonly after?: () => void
}

export const ffmpeg: Need = {
  name: "ffmpeg",
  isMet: () => (process.env.HOLDFAST_FFMPEG ?? "") !== "" || Programs.find("ffmpeg") !== undefined,
  packages: ["ffmpeg"]
}

const program = (name: string): Need => ({
  name,
  isMet: () => Programs.find(name) !== undefined,
  packages: [name]
})

export const strace: Need = program("strace")

export const curl: Need = program("curl")

/** Compares mirrors with what they mirror, by other code than ours. */
export const rclone: Need = program("rclone")

/** The browser that players and the client are tried in. */
export const chromium: Need = program("chromium")

/** Ceph's gateway, a server of the S3 protocol. */
export const ceph: Need = {
  name: "ceph",
  isMet: () => ["radosgw", "ceph-mon", "ceph-osd", "ceph"].every((name) => Programs.find(name) !== undefined),
  packages: ["radosgw", "ceph-mon", "ceph-osd", "ceph-common"]
}

const clusterSettings = "/etc/postgresql-common/createcluster.conf"

/** The tests run clusters of their own; the one that Debian would create and start is not wanted. */
export const postgres: Need = {
  name: "postgresql",
  isMet: Programs.hasPostgres,
  packages: ["postgresql"],
  before: () => {
    if (existsSync(clusterSettings)) return
    mkdirSync("/etc/postgresql-common", { recursive: true })
    writeFileSync(clusterSettings, "create_main_cluster = false\n")
  }
}

/** The order of text differs between locales, so the tests of PostgreSQL run in more than one. */
export const locale: Need = {
  name: "locale en_US.UTF-8",
  isMet: () =>
    Programs.find("locale") !== undefined &&
    /^en_US\.utf-?8$/im.test(execFileSync("locale", ["-a"], { encoding: "utf8" })),
  packages: ["locales"],
  after: () => {
    execFileSync("localedef", ["-i", "en_US", "-c", "-f", "UTF-8", "en_US.UTF-8"], { stdio: "ignore" })
  }
}

/** Tells one line to whoever runs the command. */
export type Tell = (line: string) => void

const attempt = (missing: ReadonlyArray<Need>): string | undefined => {
  try {
    for (const need of missing) need.before?.()
    const failure = Apt.install([...new Set(missing.flatMap((need) => need.packages))])
    if (failure === undefined) for (const need of missing) need.after?.()
    return failure
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Meets what is not met yet, where that is allowed; never throws. Returns the needs that are still unmet.
 */
export const meet = (needs: ReadonlyArray<Need>, tell: Tell): ReadonlyArray<Need> => {
  const missing = needs.filter((need) => !need.isMet())
  if (missing.length === 0 || !Apt.isAvailable()) return missing
  const names = missing.map((need) => need.name).join(", ")
  tell(`Installing ${names} with apt-get (HOLDFAST_NO_INSTALL=1 prevents it)…`)
  const failure = attempt(missing)
  if (failure !== undefined) tell(`That did not work: ${failure}`)
  return missing.filter((need) => !need.isMet())
}
