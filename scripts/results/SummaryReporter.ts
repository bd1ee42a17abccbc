/**
 * A vitest reporter that sends a summary of the run to the parent process.
 */
import type { SerializedError } from "vitest"
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node"
import type { TestSummary } from "./TestSummary.ts"

const nameOf = (test: TestCase): string => {
  const result = test.result()
  const note = result.state === "skipped" && result.note !== undefined ? ` (${result.note})` : ""
  return `${test.module.relativeModuleId} > ${test.fullName}${note}`
}

const isRepeated = (test: TestCase): boolean => (test.diagnostic()?.retryCount ?? 0) > 0

const withError = (test: TestCase): string => `${nameOf(test)} (${test.result().errors?.[0]?.message ?? ""})`

const summarize = (modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): TestSummary => {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const suites = modules.flatMap((module): Array<TestModule | TestSuite> => [module, ...module.children.allSuites()])
  const inState = (state: string) => tests.filter((test) => test.result().state === state)
  const broken = suites.filter((suite) => suite.errors().length > 0)
  return {
    passed: inState("passed").length,
    // A test that is still pending was running when its process died.
    failed: inState("failed").length + inState("pending").length + broken.length + errors.length,
    skipped: inState("skipped").map(nameOf),
    repeated: inState("passed").filter(isRepeated).map(withError)
  }
}

export class SummaryReporter implements Reporter {
  readonly #finished: Array<TestModule> = []

  /** Sends a summary after each file, so that the counts are known when the process dies later. */
  onTestModuleEnd(module: TestModule): void {
    this.#finished.push(module)
    process.send?.(summarize(this.#finished, []))
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    process.send?.(summarize(modules, errors))
  }
}

// Vitest loads a reporter by path and uses its default export.
export { SummaryReporter as default }
