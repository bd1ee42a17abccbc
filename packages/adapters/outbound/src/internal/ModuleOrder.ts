/**
 * The order in which the modules of a package can be imported one by one.
 */

/** A module, and one that it imports. */
export type Import = readonly [importer: string, imported: string]

interface Visited {
  /** When the module was visited. */
  readonly index: number
  /** The least index of a module that it reaches and that may import it. */
  lowest: number
  /** Whether its cycle is not complete. */
  isOpen: boolean
}

/**
 * Returns the modules that an entry reaches, each after those that it imports. Modules that import each other are evaluated by the
 * import of the one that the entry reaches first, as without steps; only that one is returned. The others could fail if they were
 * imported first (Tarjan's strongly connected components).
 *
 * @param imports In the order in which the modules are imported.
 */
export const orderOf = (entry: string, imports: ReadonlyArray<Import>): ReadonlyArray<string> => {
  const children = Map.groupBy(imports, ([importer]) => importer)
  const visited = new Map<string, Visited>()
  const path: Array<Visited> = []
  const order: Array<string> = []
  const visit = (module: string): Visited => {
    const own: Visited = { index: visited.size, lowest: visited.size, isOpen: true }
    visited.set(module, own)
    path.push(own)
    for (const [, child] of children.get(module) ?? []) {
      const former = visited.get(child)
      if (former === undefined) own.lowest = Math.min(own.lowest, visit(child).lowest)
      else if (former.isOpen) own.lowest = Math.min(own.lowest, former.index)
    }
    if (own.lowest === own.index) {
      for (const closed of path.splice(path.indexOf(own))) closed.isOpen = false
      order.push(module)
    }
    return own
  }
  visit(entry)
  return order
}
