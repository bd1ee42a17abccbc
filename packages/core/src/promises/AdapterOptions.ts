/**
 * Checks the options of an adapter's function, such as `fs()`, as `open` checks its own: a program without types, or with a misspelt option,
 * gets an error that names each faulty one.
 */
import { InvalidRequest } from "../Errors.ts"
import type { Check } from "../inputs/OptionChecks.ts"

/** Throws `InvalidRequest` with every fault of the options of a function. Faults contain no values. */
export const check = (name: string, options: unknown, checkOptions: Check): void => {
  const faults = checkOptions(options, "")
  if (faults.length > 0) throw InvalidRequest.of(faults, { subject: `The options of ${name}() are not valid` })
}

/** The check of each option of a function. */
export type Checks<Options> = { readonly [Name in keyof Required<Options>]: Check }
