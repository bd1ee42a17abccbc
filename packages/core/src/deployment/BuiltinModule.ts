/**
 * Modules that the platform has from some version on. An import of one that is missing ends the program with an error that names
 * no version.
 */

interface Platform {
  readonly version?: string
  readonly getBuiltinModule?: (name: string) => unknown
}

/** The oldest version of Node.js that has all modules and works. */
export const oldestNode = "22.19"

/** Returns a module. `M` is its type. Throws an error that says which version is needed. */
export const get = <M>(name: string): M => {
  const platform: Platform = Reflect.get(globalThis, "process") ?? {}
  const found = platform.getBuiltinModule?.(name)
  if (found !== undefined) return found as M
  throw new Error(
    `Holdfast needs Node.js ${oldestNode} or newer, for ${name}; this is ${platform.version ?? "another platform"}.`
  )
}
