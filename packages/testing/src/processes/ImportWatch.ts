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

/** Returns a function that returns the largest number of modules below `node_modules` that were loaded in one turn of the event loop. */
export const watchTurns = (): (() => number) => {
  let [count, most] = [0, 0]
  registerHooks({
    load: (url, context, next) => {
      if (url.includes("/node_modules/")) {
        if (count === 0) setImmediate(() => (count = 0))
        most = Math.max(most, ++count)
      }
      return next(url, context)
    }
  })
  return () => most
}
