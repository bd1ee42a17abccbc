/**
 * What a run of the tests came to.
 */
export interface Tally {
  readonly passed: number
  /** Failed tests, files that could not be loaded, hooks that failed and errors outside any test. */
  readonly failed: number
  /** Each test that did not run, by its full name, with the reason where the test gave one. */
  readonly skipped: ReadonlyArray<string>
}

export const empty: Tally = { passed: 0, failed: 0, skipped: [] }

/** The outcome in one line, the last one of a run. */
export const line = ({ failed, passed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped.length === 0 ? "" : `, ${skipped.length} skipped`}`

/**
 * A run in which nothing ran, or whose process ended badly although every test passed, has failed: nothing vouches for
 * the rest. `status` is the exit status of the process, null when a signal ended it.
 */
export const settle = (tally: Tally, status: number | null): Tally => {
  const ran = tally.passed + tally.failed + tally.skipped.length > 0
  return tally.failed === 0 && (status !== 0 || !ran) ? { ...tally, failed: 1 } : tally
}
