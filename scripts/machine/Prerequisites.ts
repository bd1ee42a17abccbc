/**
 * Programs that a command needs on this machine, and the Debian packages that provide them.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import * as Apt from "./Apt.ts"
import * as Programs from "./Programs.ts"

export interface Prerequisite {
  readonly name: string
  /** Must be fast: every start of a command calls it. */
  readonly isInstalled: () => boolean
  readonly packages: ReadonlyArray<string>
  readonly beforeInstall?: () => void
  readonly afterInstall?: () => void
}

export const ffmpeg: Prerequisite = {
  name: "ffmpeg",
  isInstalled: () => (process.env.HOLDFAST_FFMPEG ?? "") !== "" || Programs.find("ffmpeg") !== undefined,
  packages: ["ffmpeg"]
}

/** A program whose package has the same name. */
const program = (name: string): Prerequisite => ({
  name,
  isInstalled: () => Programs.find(name) !== undefined,
  packages: [name]
})

/** Confines ffmpeg. */
export const bubblewrap: Prerequisite = {
  name: "bubblewrap",
  isInstalled: () => Programs.find("bwrap") !== undefined,
  packages: ["bubblewrap"]
}

export const strace: Prerequisite = program("strace")

export const curl: Prerequisite = program("curl")

/** Compares mirrors with their source by code that is independent of Holdfast. */
export const rclone: Prerequisite = program("rclone")

/** Programs that copy files by the S3 API. */
export const s3Tools: Prerequisite = {
  name: "restic, s3cmd, awscli and s3fs",
  isInstalled: () => ["restic", "s3cmd", "aws", "s3fs"].every((name) => Programs.find(name) !== undefined),
  packages: ["restic", "s3cmd", "awscli", "s3fs"]
}

/** The browser in which the tests run the players and the HTTP client. */
export const chromium: Prerequisite = program("chromium")

/** Chromium without its window, which takes less processor time. The tests use Chromium where no package has it. */
export const headlessShell: Prerequisite = program("chromium-headless-shell")

/** A server program, which Debian installs into a directory that is not in the `PATH` of every user. */
const server = (name: string, packageName: string): Prerequisite => ({
  name: packageName,
  isInstalled: () => Programs.find(name) !== undefined || Programs.isExecutable(`/usr/sbin/${name}`),
  packages: [packageName]
})

/** The proxies that the tests put in front of the service. */
export const nginx: Prerequisite = server("nginx", "nginx")

export const varnish: Prerequisite = server("varnishd", "varnish")

export const haproxy: Prerequisite = server("haproxy", "haproxy")

/** A pooler of connections to PostgreSQL. */
export const pgbouncer: Prerequisite = server("pgbouncer", "pgbouncer")

/** Ceph's gateway, a server of the S3 protocol. */
export const ceph: Prerequisite = {
  name: "ceph",
  isInstalled: () => ["radosgw", "ceph-mon", "ceph-osd", "ceph"].every((name) => Programs.find(name) !== undefined),
  packages: ["radosgw", "ceph-mon", "ceph-osd", "ceph-common"]
}

const clusterSettings = "/etc/postgresql-common/createcluster.conf"

/** The tests create clusters of their own, so Debian is kept from creating and starting one. */
export const postgres: Prerequisite = {
  name: "postgresql",
  isInstalled: Programs.hasPostgres,
  packages: ["postgresql"],
  beforeInstall: () => {
    if (existsSync(clusterSettings)) return
    mkdirSync("/etc/postgresql-common", { recursive: true })
    writeFileSync(clusterSettings, "create_main_cluster = false\n")
  }
}

/** The sort order of text differs between locales, so the tests of PostgreSQL run in more than one. */
export const locale: Prerequisite = {
  name: "locale en_US.UTF-8",
  isInstalled: () =>
    Programs.find("locale") !== undefined &&
    /^en_US\.utf-?8$/im.test(execFileSync("locale", ["-a"], { encoding: "utf8" })),
  packages: ["locales"],
  afterInstall: () => {
    execFileSync("localedef", ["-i", "en_US", "-c", "-f", "UTF-8", "en_US.UTF-8"], { stdio: "ignore" })
  }
}

/** Installs the packages of all missing prerequisites. Returns the reason when that fails. */
const installPackages = (missing: ReadonlyArray<Prerequisite>): string | undefined => {
  try {
    for (const prerequisite of missing) prerequisite.beforeInstall?.()
    const failure = Apt.install([...new Set(missing.flatMap((prerequisite) => prerequisite.packages))])
    if (failure === undefined) for (const prerequisite of missing) prerequisite.afterInstall?.()
    return failure
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Installs the prerequisites that are missing, where this process may. Never throws.
 *
 * @param printLine Prints one line for the user of the command.
 * @returns The prerequisites that are still missing.
 */
export const install = (
  prerequisites: ReadonlyArray<Prerequisite>,
  printLine: (line: string) => void
): ReadonlyArray<Prerequisite> => {
  const missing = prerequisites.filter((prerequisite) => !prerequisite.isInstalled())
  if (missing.length === 0 || !Apt.isAvailable()) return missing
  const names = missing.map((prerequisite) => prerequisite.name).join(", ")
  printLine(`Installing ${names} with apt-get (HOLDFAST_NO_INSTALL=1 prevents it)…`)
  const failure = installPackages(missing)
  if (failure !== undefined) printLine(`The installation failed: ${failure}`)
  return missing.filter((prerequisite) => !prerequisite.isInstalled())
}
