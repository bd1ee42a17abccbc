/**
 * The names and aliases of files.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { maxName, nameFault, normalisable } from "../access/FolderPath.ts"
import { atMost } from "../Text.ts"

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

/** Returns the name's extension in lower case, without the dot; empty when there is none. */
export const extension = (name: string): string => {
  const dot = name.lastIndexOf(".")
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase()
}
