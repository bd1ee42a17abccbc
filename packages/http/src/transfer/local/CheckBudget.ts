/**
 * Bounds the time that checks of contents take to a share of all time. After a pause, checks may take the time at once that they
 * did not take, up to a limit.
 */
export interface CheckBudget {
  /** Returns the result of a check, or undefined when the budget is spent. */
  readonly check: (run: () => boolean) => boolean | undefined
}

/**
 * Makes a budget.
 *
 * @param options.share The share of all time that checks may take.
 * @param options.maxMillis The time that checks may take at once, in milliseconds.
 */
export const make = ({ maxMillis, share }: { readonly share: number; readonly maxMillis: number }): CheckBudget => {
  let credit = maxMillis
  let creditedAt = performance.now()
  return {
    check: (run) => {
      const begin = performance.now()
      credit = Math.min(maxMillis, credit + (begin - creditedAt) * share)
      creditedAt = begin
      if (credit <= 0) return undefined
      const result = run()
      credit -= performance.now() - begin
      return result
    }
  }
}
