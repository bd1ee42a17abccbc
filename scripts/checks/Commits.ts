/**
 * Checks commit messages: Conventional Commits with a subject of at most 72 characters. A commit that changes what users
 * get (feat, fix, perf) has a body that says why.
 */
import { execFileSync } from "node:child_process"
import lint from "@commitlint/lint"
import * as Packages from "../packages/Packages.ts"

export interface Commit {
  /** Abbreviated. */
  readonly hash: string
  readonly message: string
}

const types = ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"]
const typesWithBody = new Set<unknown>(["feat", "fix", "perf"])
const conventional = new RegExp(`^(?:${types.join("|")})(?:\\([^()]+\\))?!?: `)

/** The level of commitlint's rules that makes a message invalid. */
const error = 2

/** Returns what is wrong with a message; nothing for merges and reverts. */
export const check = async (message: string): Promise<ReadonlyArray<string>> => {
  const outcome = await lint(
    message,
    {
      "body-leading-blank": [error, "always"],
      "footer-leading-blank": [error, "always"],
      "header-max-length": [error, "always", 72],
      "header-trim": [error, "always"],
      "subject-empty": [error, "never"],
      "subject-full-stop": [error, "never", "."],
      "type-case": [error, "always", "lower-case"],
      "type-empty": [error, "never"],
      "type-enum": [error, "always", types],
      "body-says-why": [error, "always"]
    },
    {
      parserOpts: { headerPattern: /^(\w*)(?:\(([^()]*)\))?!?: (.*)$/ },
      plugins: {
        local: {
          rules: {
            "body-says-why": ({ body, type }) => [
              !typesWithBody.has(type) || (body ?? "").trim() !== "",
              `a ${type} needs a body that says why`
            ]
          }
        }
      }
    }
  )
  return outcome.errors.map((fault) => fault.message)
}

/** Returns the commits from the first Conventional Commit on: the history before it follows another convention. */
export const sinceFirstConventional = (newestFirst: ReadonlyArray<Commit>): ReadonlyArray<Commit> =>
  newestFirst.slice(0, newestFirst.findLastIndex(({ message }) => conventional.test(message)) + 1)

const makeGit =
  (directory: string) =>
  (...args: ReadonlyArray<string>): string | undefined => {
    try {
      // The repository may belong to another user than this process, and is only read.
      const all = ["-c", "safe.directory=*", ...args]
      return execFileSync("git", all, {
        cwd: directory,
        encoding: "utf8",
        maxBuffer: 256 * 1024 * 1024,
        stdio: ["ignore", "pipe", "ignore"]
      })
    } catch {
      return undefined
    }
  }

/**
 * Returns the commits to check: on a branch, those since it left `origin/main`; on main itself, those since the first
 * Conventional Commit. A shallow clone has fewer, and a directory without a Git history has none.
 */
export const list = (directory = Packages.root): ReadonlyArray<Commit> => {
  const git = makeGit(directory)
  const head = git("rev-parse", "HEAD")?.trim()
  const base = git("merge-base", "HEAD", "origin/main")?.trim()
  const range = base === undefined || base === head ? "HEAD" : `${base}..HEAD`
  const commits = (git("log", "-z", "--no-merges", "--format=%h %B", range) ?? "")
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => ({ hash: entry.slice(0, entry.indexOf(" ")), message: entry.slice(entry.indexOf(" ") + 1).trim() }))
  return range === "HEAD" ? sinceFirstConventional(commits) : commits
}
