/**
 * Finds PostgreSQL's server programs, and the user to run them as.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"

/** A user that may run the server, which refuses root. */
export interface User {
  readonly uid: number
  readonly gid: number
}

const debian = "/usr/lib/postgresql"

/** Debian keeps the programs in a directory per version, outside PATH; the newest counts. */
const versions = (): ReadonlyArray<string> =>
  existsSync(debian)
    ? readdirSync(debian)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, "bin"))
    : []

const directory = (process.env.PATH ?? "")
  .split(delimiter)
  .concat(versions())
  .find((candidate) => ["initdb", "postgres", "psql"].every((program) => existsSync(join(candidate, program))))

/** The path of one of the programs. */
export const program = (name: "initdb" | "postgres" | "psql"): string => join(directory ?? debian, name)

const isRoot = process.getuid?.() === 0

const lookUp = (name: string): User | undefined => {
  const [, , uid, gid] =
    readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((line) => line.startsWith(`${name}:`))
      ?.split(":") ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** Whom to run the server as: undefined for whoever runs this, unless that is root. */
export const user: User | undefined = isRoot ? (lookUp("postgres") ?? lookUp("nobody")) : undefined

/** What is missing to run a server: undefined when nothing is. */
export const missing: string | undefined =
  directory === undefined
    ? "PostgreSQL's server programs are not installed"
    : isRoot && user === undefined
      ? "there is no unprivileged user to run PostgreSQL as"
      : undefined

/** How a cluster orders text by default. */
export interface Collation {
  /** What it is, to be told in a test's name. */
  readonly name: string
  /** For initdb. */
  readonly arguments: ReadonlyArray<string>
}

const locales = (): string => {
  const listed = spawnSync("locale", ["-a"], { encoding: "utf8" })
  return listed.status === 0 ? listed.stdout : ""
}

const hasLocale = (pattern: RegExp): boolean => pattern.test(locales())

const codePoints: Collation = { name: "C", arguments: ["--locale=C"] }

/** By code point, as a machine would order text. */
export const computer = (): Collation =>
  hasLocale(/^C\.utf-?8$/im) ? { name: "C.UTF-8", arguments: ["--locale=C.UTF-8"] } : codePoints

/** By the rules of American English; from ICU where the operating system does not have that locale. */
export const english = (): Collation =>
  hasLocale(/^en_US\.utf-?8$/im)
    ? { name: "en_US.UTF-8", arguments: ["--locale=en_US.UTF-8"] }
    : {
        name: "en-US of ICU",
        arguments: [...computer().arguments, "--locale-provider=icu", "--icu-locale=en-US"]
      }
