import { expect, it } from "vitest"
import * as CheckBudget from "../../src/transfer/local/CheckBudget.ts"

const spin = (millis: number): boolean => {
  const end = performance.now() + millis
  while (performance.now() < end) {}
  return true
}

it("checks take longer than the budget → further ones are skipped", () => {
  const budget = CheckBudget.make({ share: 0.000001, maxMillis: 3 })
  expect(budget.check(() => false)).toBe(false)
  expect(budget.check(() => spin(5))).toBe(true)
  let runs = 0
  expect(budget.check(() => ++runs > 0)).toBeUndefined()
  expect(runs).toBe(0)
})
