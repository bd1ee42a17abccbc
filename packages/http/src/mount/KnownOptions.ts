/**
 * Checks the names of the options of a mount.
 */
import * as SimilarNames from "@holdfast/core/inputs/SimilarNames"

/** The name of every option of a function. */
export type Names<Options> = { readonly [Name in keyof Required<Options>]: true }

/** The names that the functions for the API have in common. */
export const shared = {
  permissions: true,
  allowTenantCreation: true,
  frameAncestors: true,
  authenticate: true,
  trustedOrigins: true
} as const

/** Throws a `TypeError` for an option that is not known: a misspelt `permissions` would limit nothing. */
export const check = <Options extends object>(options: Options, names: Names<Options>): void => {
  const known = Object.keys(names)
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`option ${name} ${SimilarNames.unknownDetail(name, known)}`)
  }
}
