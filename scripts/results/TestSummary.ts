/**
 * The result of a test run: how many tests passed and failed, and which were skipped.
 */
export interface TestSummary {
  readonly passed: number
  /** Failed tests, files that could not be loaded, hooks that failed, and errors outside of any test. */
  readonly failed: number
  /** The full name of each skipped test, with the reason where the test gave one. */
  readonly skipped: ReadonlyArray<string>
  /** Likewise each test that failed and passed when it ran again, with why it failed. */
  readonly repeated: ReadonlyArray<string>
}

export const empty: TestSummary = { passed: 0, failed: 0, skipped: [], repeated: [] }

const listed = (title: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`${title}:`, ...names.map((name) => `  ${name}`)]

/** Returns the lines in which a run names tests after its results. */
export const notes = ({ repeated, skipped }: TestSummary): ReadonlyArray<string> => [
  ...listed("Failed, and passed when they ran again", repeated),
  ...listed("Skipped", skipped)
]

/** Returns the summary as one line, the last line of a run. */
export const format = ({ failed, passed, skipped }: TestSummary): string =>
  `${passed} passed, ${failed} failed${skipped.length === 0 ? "" : `, ${skipped.length} skipped`}`

/**
 * Returns the summary with one failure added when no test ran, or when the process failed although every test that
 * reported a result passed: the other tests may not have run.
 *
 * @param status The exit status of the process; null when a signal stopped it.
 */
export const withExitStatus = (summary: TestSummary, status: number | null): TestSummary => {
  const ran = summary.passed + summary.failed + summary.skipped.length > 0
  return summary.failed === 0 && (status !== 0 || !ran) ? { ...summary, failed: 1 } : summary
}
