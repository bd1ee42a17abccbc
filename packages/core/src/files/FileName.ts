/**
 * The names, folder paths and aliases of files.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { atMost, bounded, hasControls, utf8Length } from "../Text.ts"

/** The most bytes of a name and of a path. */
const maxName = 255
const maxPath = 1024

const isDots = (segment: string): boolean => segment === "." || segment === ".."

const nameFault = (name: string): string | undefined =>
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
const normalisable = (maxBytes: number) => bounded(3 * maxBytes, `must be at most ${maxBytes} bytes`)

/** A file name, normalised to Unicode NFC: any characters except slashes and control characters, at most 255 bytes. */
export const FileName = normalisable(maxName)
  .pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({ decode: (s) => s.normalize("NFC"), encode: (s) => s })
    ),
    Schema.check(Schema.makeFilter(nameFault))
  )
  .annotate({ description: "A file name, normalised to Unicode NFC; at most 255 bytes." })

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

/** A readable name that refers to the file as `@alias`; unique in the bucket. */
export const Alias = Schema.String.check(
  Schema.isPattern(/^[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$/, {
    ...atMost(128),
    message:
      "must be 1 to 128 lower-case letters, digits, dots, hyphens and underscores, and begin and end with a letter or digit"
  })
)

/** Returns the name's extension in lower case, without the dot; empty when there is none. */
export const extension = (name: string): string => {
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase()
}
