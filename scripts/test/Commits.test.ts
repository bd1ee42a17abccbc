import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { command, requires } from "../../packages/testing/src/Requires.ts"
import * as Commits from "../checks/Commits.ts"

const temporary = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-commits-"))
afterAll(() => Fs.rmSync(temporary, { recursive: true, force: true }))

const git = (directory: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })

const commit = (directory: string, ...messages: ReadonlyArray<string>): void => {
  for (const message of messages) git(directory, "commit", "--quiet", "--allow-empty", "-m", message)
}

/** Creates a repository with these commits on its main branch. */
const repository = (name: string, ...messages: ReadonlyArray<string>): string => {
  const directory = Path.join(temporary, name)
  Fs.mkdirSync(directory)
  git(directory, "init", "--quiet", "--initial-branch", "main")
  commit(directory, ...messages)
  return directory
}

const clone = (from: string, name: string, ...options: ReadonlyArray<string>): string => {
  const directory = Path.join(temporary, name)
  git(temporary, "clone", "--quiet", ...options, `file://${from}`, directory)
  return directory
}

const listed = (directory: string) => Commits.list(directory).map(({ message }) => message)

describe("Commits.check", () => {
  it.each([
    "docs: describe mirrors",
    "feat(http)!: drop the old routes\n\nClients have moved.",
    "fix(s3): retry a broken read\n\nThe server closes idle connections.",
    "Merge branch 'main' into topic"
  ])("%j → valid", async (message) => {
    assert.deepStrictEqual(await Commits.check(message), [])
  })

  it.each([
    ["Mirrors are faster now", "type may not be empty"],
    ["feature: add mirrors", "type must be one of"],
    ["docs: describe mirrors.", "full stop"],
    ["docs: describe mirrors\nand targets", "leading blank line"],
    [`docs: ${"a".repeat(67)}`, "longer than 72 characters"],
    ["fix(s3): retry a broken read", "needs a body"]
  ])("%j → %s", async (message, fault) => {
    const faults = await Commits.check(message)
    assert.isTrue(
      faults.some((text) => text.includes(fault)),
      faults.join("; ")
    )
  })
})

requires(command("git", "--version")).describe("Commits.list", () => {
  it("on main → from the first Conventional Commit on", () => {
    const directory = repository("main", "First steps", "docs: begin", "Not conventional", "test: add one")
    assert.deepStrictEqual(listed(directory), ["test: add one", "Not conventional", "docs: begin"])
  })

  it("on a branch → since it left origin/main", () => {
    const directory = clone(repository("origin", "First steps", "docs: begin"), "branch")
    git(directory, "switch", "--quiet", "--create", "topic")
    commit(directory, "One", "test: add two\n\nWith a body.")
    assert.deepStrictEqual(listed(directory), ["test: add two\n\nWith a body.", "One"])
  })

  it("a shallow clone → the commits that it has", () => {
    const directory = clone(repository("deep", "docs: one", "docs: two", "docs: three"), "shallow", "--depth", "1")
    assert.deepStrictEqual(listed(directory), ["docs: three"])
  })

  it("no Conventional Commit, no commit, no repository → none", () => {
    assert.deepStrictEqual(listed(repository("old", "First steps", "More")), [])
    assert.deepStrictEqual(listed(repository("empty")), [])
    const directory = Path.join(temporary, "plain")
    Fs.mkdirSync(directory)
    assert.deepStrictEqual(listed(directory), [])
  })
})
