/**
 * A model of one bucket: a map of files, with the queries that the API answers.
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

/** Finds a file by folder and name. */
export const findByName = (model: Model, path: string, name: string): ModelFile | undefined =>
  [...model.files.values()].find((file) => file.path === path && file.name === name)

/** Finds a file by its alias. */
export const findByAlias = (model: Model, alias: string): ModelFile | undefined =>
  [...model.files.values()].find((file) => file.alias === alias)

/** Returns the file with this index modulo the number of files; undefined if there are none. */
export const choose = (model: Model, index: number): ModelFile | undefined => {
  const files = [...model.files.values()]
  return files.length === 0 ? undefined : files[index % files.length]
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Returns the names of the files in a folder in the order of the API: by UTF-8 bytes. */
export const namesIn = (model: Model, path: string): ReadonlyArray<string> =>
  [...model.files.values()]
    .filter((file) => file.path === path)
    .map(({ name }) => name)
    .toSorted(compareBytes)

/** Returns the folders directly below a folder, in order. */
export const foldersIn = (model: Model, path: string): ReadonlyArray<string> => {
  const folders = new Set<string>()
  for (const file of model.files.values()) {
    if (!file.path.startsWith(path) || file.path === path) continue
    folders.add(file.path.slice(0, file.path.indexOf("/", path.length) + 1))
  }
  return [...folders].toSorted(compareBytes)
}

/** Returns the paths of all files below a folder, in order. */
export const pathsBelow = (model: Model, path: string): ReadonlyArray<string> =>
  [...model.files.values()]
    .filter((file) => file.path.startsWith(path))
    .toSorted((a, b) => compareBytes(a.path, b.path) || compareBytes(a.name, b.name))
    .map((file) => file.path + file.name)
