/**
 * Finds PostgreSQL's server programs, and an unprivileged user to run them as.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import * as SystemUser from "./SystemUser.ts"

const debian = "/usr/lib/postgresql"

/** Returns Debian's directories of the programs, newest version first. They are not in PATH. */
const debianDirectories = (): ReadonlyArray<string> =>
  existsSync(debian)
    ? readdirSync(debian)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, "bin"))
    : []

const directory = (process.env.PATH ?? "")
  .split(delimiter)
  .concat(debianDirectories())
  .find((candidate) => ["initdb", "postgres", "psql"].every((program) => existsSync(join(candidate, program))))

/** Returns the path of one of the programs. */
export const program = (name: "initdb" | "pg_basebackup" | "pg_ctl" | "postgres" | "psql"): string =>
  join(directory ?? debian, name)

/** The user to run the server as, which refuses root: undefined for the current user, unless that is root. */
export const user: SystemUser.SystemUser | undefined = SystemUser.isRoot
  ? (SystemUser.find("postgres") ?? SystemUser.findUnprivileged())
  : undefined

/** The reason why this machine cannot run a server; undefined when it can. */
export const missing: string | undefined =
  directory === undefined
    ? "PostgreSQL's server programs are not installed"
    : SystemUser.isRoot && user === undefined
      ? "there is no unprivileged user to run PostgreSQL as"
      : undefined

/** The default order of text in a cluster. */
export interface Collation {
  /** For the names of tests. */
  readonly name: string
  /** Arguments of initdb. */
  readonly arguments: ReadonlyArray<string>
}

const locales = (): string => {
  const listed = spawnSync("locale", ["-a"], { encoding: "utf8" })
  return listed.status === 0 ? listed.stdout : ""
}

const hasLocale = (pattern: RegExp): boolean => pattern.test(locales())

const plainC: Collation = { name: "C", arguments: ["--locale=C"] }

/** By code point. */
export const byCodePoint = (): Collation =>
  hasLocale(/^C\.utf-?8$/im) ? { name: "C.UTF-8", arguments: ["--locale=C.UTF-8"] } : plainC

/** By the rules of American English, from ICU where the operating system does not have the locale. */
export const english = (): Collation =>
  hasLocale(/^en_US\.utf-?8$/im)
    ? { name: "en_US.UTF-8", arguments: ["--locale=en_US.UTF-8"] }
    : {
        name: "en-US of ICU",
        arguments: [...byCodePoint().arguments, "--locale-provider=icu", "--icu-locale=en-US"]
      }
