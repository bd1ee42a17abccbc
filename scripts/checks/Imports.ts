/**
 * Reads which modules a source file imports, type-only imports included.
 */
import { parseSync } from "oxc-parser"

export interface Import {
  /** As it is written: `./File.ts`, `effect/Effect`. */
  readonly specifier: string
  /** Counted from 1. */
  readonly line: number
}

/** Returns the imports, re-exports and dynamic imports of a module. */
export const parse = (path: string, text: string): ReadonlyArray<Import> => {
  const { module } = parseSync(path, text)
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    // Every name of a re-export has the same module request.
    ...module.staticExports.flatMap(({ entries }) => entries[0]?.moduleRequest ?? []),
    ...module.dynamicImports.map(({ moduleRequest: { end, start } }) => ({
      start,
      value: text.slice(start, end).replace(/^(["'`])(.*)\1$/s, "$2")
    }))
  ]
  return requests.map(({ start, value }) => ({ specifier: value, line: text.slice(0, start).split("\n").length }))
}
