/**
 * Checks the options of an adapter's function, such as `fs()`, as `open` checks its own: a program without types, or with a misspelt option,
 * gets an error that names each faulty one.
 */
import { InvalidRequest } from "../Errors.ts"
import type { Check } from "../inputs/OptionChecks.ts"
import * as Defined from "../inputs/Defined.ts"

/**
 * Returns the options of a function without those that are undefined. Throws `InvalidRequest` with every fault of the options. Faults contain
 * no values.
 */
export const read = <Options extends object>(name: string, options: Options, check: Check): Options => {
  const faults = check(options, "")
  if (faults.length > 0) throw InvalidRequest.of(faults, { subject: `The options of ${name}() are not valid` })
  return Defined.of(options)
}

/** The check of each option of a function. */
export type Checks<Options> = { readonly [Name in keyof Required<Options>]: Check }
