/**
 * The files that mirrors copy.
 */
import type { Content, StoredFile } from "../../files/File.ts"

/** A file that has a content. A file without content is not copied. */
export type MirroredFile = StoredFile & { readonly content: Content }

/** Returns the name of a file's object at a target: its path and name without the leading slash. */
export const objectName = ({ name, path }: Pick<StoredFile, "name" | "path">): string => `${path.slice(1)}${name}`
