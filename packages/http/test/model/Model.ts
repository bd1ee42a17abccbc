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

/** An open upload. */
export interface ModelUpload {
  readonly id: string
  readonly mode: "APPEND" | "PARTS"
  readonly path: string
  readonly name: string
  readonly onConflict: "fail" | "replace"
  /** The bytes by their numbers. An append has the next number. */
  readonly parts: Map<number, string>
}

export interface Model {
  readonly files: Map<string, ModelFile>
  readonly uploads: Map<string, ModelUpload>
}

export const empty = (): Model => ({ files: new Map(), uploads: new Map() })

/** Finds a file by folder and name. */
export const findByName = (model: Model, path: string, name: string): ModelFile | undefined =>
  [...model.files.values()].find((file) => file.path === path && file.name === name)

/** Finds a file by its alias. */
export const findByAlias = (model: Model, alias: string): ModelFile | undefined =>
  [...model.files.values()].find((file) => file.alias === alias)

const at = <A>(all: Map<string, A>, index: number): A | undefined => [...all.values()][index % all.size]

/** Returns the file with this index modulo the number of files; undefined if there are none. */
export const choose = (model: Model, index: number): ModelFile | undefined => at(model.files, index)

/** Returns the upload with this index modulo the number of uploads; undefined if there are none. */
export const chooseUpload = (model: Model, index: number): ModelUpload | undefined => at(model.uploads, index)

/** Returns the content that an upload would make now. */
export const contentOf = ({ parts }: ModelUpload): string =>
  [...parts]
    .toSorted(([one], [other]) => one - other)
    .map(([, text]) => text)
    .join("")

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
