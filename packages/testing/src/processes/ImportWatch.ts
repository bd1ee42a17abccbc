/**
 * Finds out when a program imports a module. It has to run in a process of its own, before the import.
 */
import { registerHooks } from "node:module"

/** Returns a function that returns whether a module was imported whose specifier begins with the prefix. */
export const watch = (prefix: string): (() => boolean) => {
  let isImported = false
  registerHooks({
    resolve: (specifier, context, next) => {
      isImported ||= specifier.startsWith(prefix)
      return next(specifier, context)
    }
  })
  return () => isImported
}
