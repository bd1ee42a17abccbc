/**
 * What the API promises of one bucket, in a few lines: a map from places to files.
 */

export interface ModelFile {
  readonly id: string
  path: string
  name: string
  alias: string | null
  version: number
  content: string | null
  metadata: object
  readonly headers: Map<string, string>
}

export interface Model {
  readonly files: Map<string, ModelFile>
}

export const empty = (): Model => ({ files: new Map() })

export const at = (model: Model, path: string, name: string): ModelFile | undefined =>
  [...model.files.values()].find((file) => file.path === path && file.name === name)

export const aliased = (model: Model, alias: string): ModelFile | undefined =>
  [...model.files.values()].find((file) => file.alias === alias)

/** One of the files that stand, chosen by a number; undefined when there is none. */
export const choose = (model: Model, index: number): ModelFile | undefined => {
  const files = [...model.files.values()]
  return files.length === 0 ? undefined : files[index % files.length]
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** The names directly in a folder, in the order of the API: by UTF-8 bytes. */
export const namesIn = (model: Model, path: string): ReadonlyArray<string> =>
  [...model.files.values()]
    .filter((file) => file.path === path)
    .map(({ name }) => name)
    .toSorted(compareBytes)

/** The folders directly below one. */
export const foldersIn = (model: Model, path: string): ReadonlyArray<string> => {
  const folders = new Set<string>()
  for (const file of model.files.values()) {
    if (!file.path.startsWith(path) || file.path === path) continue
    folders.add(file.path.slice(0, file.path.indexOf("/", path.length) + 1))
  }
  return [...folders].toSorted(compareBytes)
}

/** All places below a folder, in order. */
export const placesBelow = (model: Model, path: string): ReadonlyArray<string> =>
  [...model.files.values()]
    .filter((file) => file.path.startsWith(path))
    .toSorted((a, b) => compareBytes(a.path, b.path) || compareBytes(a.name, b.name))
    .map((file) => file.path + file.name)
