/**
 * The names and aliases of files.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { maxName, nameFault, normalisable } from "../access/FolderPath.ts"
import { atMost, utf8Length } from "../Text.ts"

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

/** A readable name that refers to the file as `@alias`; unique in the bucket. */
export const Alias = Schema.String.check(
  Schema.isPattern(/^[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?$/, {
    ...atMost(128),
    message:
      "must be 1 to 128 lower-case letters, digits, dots, hyphens and underscores, and begin and end with a letter or digit"
  })
)

/** Returns a text of at most this many bytes: the beginning of a text, without a part of a character. */
const truncate = (text: string, maxBytes: number): string => {
  let end = text.length
  while (utf8Length(text.slice(0, end)) > maxBytes) end--
  return text.slice(0, end).replace(/[\ud800-\udbff]$/, "")
}

/** Returns a name with a suffix before its extension, as in `photo-x7k2.jpg`. The stem is shortened where the name would be too long. */
export const withSuffix = (name: string, suffix: string): string => {
  const dot = name.lastIndexOf(".")
  const stem = dot <= 0 ? name : name.slice(0, dot)
  const end = `-${suffix}${dot <= 0 ? "" : name.slice(dot)}`
  // An extension that leaves no room for a stem is shortened too.
  return truncate(truncate(stem, Math.max(1, maxName - utf8Length(end))) + end, maxName)
}

/** Returns the name's extension in lower case, without the dot; empty when there is none. */
export const extension = (name: string): string => {
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase()
}
