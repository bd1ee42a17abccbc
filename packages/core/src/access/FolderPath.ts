/**
 * Folder paths, and the rules that they share with the names of files.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { bounded, hasControls, utf8Length } from "../Text.ts"

/** The most bytes of a name and of a path. */
export const maxName = 255
export const maxPath = 1024

const isDots = (segment: string): boolean => segment === "." || segment === ".."

/** Returns what is wrong with a file name or with a segment of a path; undefined for nothing. */
export const nameFault = (name: string): string | undefined =>
  name === ""
    ? "must not be empty"
    : name.includes("/")
      ? "must not contain a slash"
      : hasControls(name) || !name.isWellFormed()
        ? "must not contain control characters"
        : isDots(name)
          ? "must not be . or .."
          : utf8Length(name) > maxName
            ? `must be at most ${maxName} bytes`
            : undefined

/**
 * Texts that may have a normal form of at most this many bytes: the normal form of three code units has more than one byte.
 * Longer texts are refused before they are normalised, which sorts combining marks in a time that grows with the square of
 * their number.
 */
export const normalisable = (maxBytes: number) => bounded(3 * maxBytes, `must be at most ${maxBytes} bytes`)

const pathFault = (path: string): string | undefined => {
  if (utf8Length(path) > maxPath) return `must be at most ${maxPath} bytes`
  if (path === "/") return undefined
  for (const segment of path.slice(1, -1).split("/")) {
    const fault = nameFault(segment)
    if (fault !== undefined) return segment === "" ? "must not have empty segments" : `has a segment that ${fault}`
  }
  return undefined
}

const normalise = (path: string): string => {
  const leading = path.startsWith("/") ? path : `/${path}`
  return (leading.endsWith("/") ? leading : `${leading}/`).normalize("NFC")
}

/** A folder path, normalised to NFC and to a leading and a trailing slash. `/` is the bucket's root. */
export const FolderPath = normalisable(maxPath)
  .pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: normalise, encode: (s) => s })),
    Schema.check(Schema.makeFilter(pathFault))
  )
  .annotate({ description: "A folder path inside the bucket, written with a leading and a trailing slash." })
