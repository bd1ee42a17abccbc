/**
 * A reporter for vitest that hands its tally to the parent process.
 */
import type { SerializedError } from "vitest"
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node"
import type { Tally } from "./Tally.ts"

const nameOf = (test: TestCase): string => {
  const result = test.result()
  const note = result.state === "skipped" && result.note !== undefined ? ` (${result.note})` : ""
  return `${test.module.relativeModuleId} > ${test.fullName}${note}`
}

const tallyOf = (modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): Tally => {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const suites = modules.flatMap((module): Array<TestModule | TestSuite> => [module, ...module.children.allSuites()])
  const inState = (state: string) => tests.filter((test) => test.result().state === state)
  const broken = suites.filter((suite) => suite.errors().length > 0)
  return {
    passed: inState("passed").length,
    // A test that is still pending was running when its process died.
    failed: inState("failed").length + inState("pending").length + broken.length + errors.length,
    skipped: inState("skipped").map(nameOf)
  }
}

export class TallyReporter implements Reporter {
  readonly #ended: Array<TestModule> = []

  /** A tally after each file, so that a process that dies later does not take the counts along. */
  onTestModuleEnd(module: TestModule): void {
    this.#ended.push(module)
    process.send?.(tallyOf(this.#ended, []))
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    process.send?.(tallyOf(modules, errors))
  }
}

// Vitest loads a reporter by path and takes the default export.
export { TallyReporter as default }
