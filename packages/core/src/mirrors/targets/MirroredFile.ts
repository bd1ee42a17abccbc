/**
 * The files that mirrors copy.
 */
import type { Content, StoredFile } from "../../files/File.ts"

/** A content whose digest is known. A copy states it, and is compared by it. */
export type MirroredContent = Content & { readonly sha256: string }

/** A file that has such a content. A file without content is not copied; a composite content is copied once its digest is known. */
export type MirroredFile = StoredFile & { readonly content: MirroredContent }

/** Whether a file can be copied now. */
export const isMirrored = (file: StoredFile): file is MirroredFile =>
  file.content !== null && file.content.sha256 !== null

/** Returns the name of a file's object at a target: its path and name without the leading slash. */
export const objectName = ({ name, path }: Pick<StoredFile, "name" | "path">): string => `${path.slice(1)}${name}`
