/**
 * What a connection reports about its commits. At most one connection of a client commits at a time.
 */
import { begin } from "../SqliteError.ts"

export interface Commits {
  /** A commit begins. Throws an `SqlError` after a failed sync. */
  readonly begin: () => void
  /** The commit succeeded. */
  readonly end: () => void
  /** The commit failed. */
  readonly abort: () => void
  /** Any statement failed. */
  readonly observe: (thrown: unknown) => void
}

/** Whether a statement commits when it succeeds: COMMIT, and any other one outside of a transaction but its beginning. */
export const isCommit = (sql: string, isTransaction: () => boolean): boolean =>
  sql === "COMMIT" || (sql !== begin && !isTransaction() && !/^\s*BEGIN\b/i.test(sql))

/** Runs a statement and reports its commit. */
export const track = <A>(commits: Commits, isCommit: boolean, evaluate: () => A): A => {
  if (isCommit) commits.begin()
  let result: A
  try {
    result = evaluate()
  } catch (error) {
    commits.observe(error)
    if (isCommit) commits.abort()
    throw error
  }
  if (isCommit) commits.end()
  return result
}
