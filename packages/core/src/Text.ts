/**
 * Checks short texts: the names of tenants, tokens and buckets, and e-mail addresses.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** Returns a text's length in UTF-8 bytes, without allocating the bytes. */
export const utf8Length = (text: string): number => {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      bytes += 4
      i++
    } else bytes += 3
  }
  return bytes
}

/** Returns the annotations of a check that bounds a text, so that the API reference shows the bound, in characters. */
export const atMost = (maxLength: number): Schema.Annotations.Filter => ({
  toJsonSchema: () => [{ maxLength }, true]
})

/** Returns a schema for texts of at most this many UTF-16 code units. */
export const bounded = (maxLength: number, fault = `must be at most ${maxLength} characters`): Schema.String =>
  Schema.String.check(Schema.isMaxLength(maxLength, { message: fault }))

/** Whether a text is well-formed Unicode without NUL. PostgreSQL refuses others. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

/** The id or the name of a record: one that can be stored. No stored one is longer. */
export const Reference = bounded(255).check(
  Schema.makeFilter((text: string) => (isStorable(text) ? undefined : "must not contain NUL or lone surrogates"))
)

/** Whether a text contains C0 or C1 control characters, DEL, or the Unicode line or paragraph separator. */
export const hasControls = (text: string): boolean => /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)

/** Returns a text of any origin as one line of well-formed Unicode without control characters, of at most this many code units. */
export const toLine = (text: string, maxLength: number): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, maxLength)
    // The first half of a character that was cut.
    .replace(/[\ud800-\udbff]$/, "")

/** A display name: 1 to 255 bytes of well-formed UTF-8 without control characters, not only white space. */
export const Label = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      text.trim() === ""
        ? "must not be empty"
        : hasControls(text) || !text.isWellFormed()
          ? "must not contain control characters"
          : utf8Length(text) > 255
            ? "must be at most 255 bytes"
            : undefined,
    atMost(255)
  )
).annotate({ description: "A display name, at most 255 bytes." })

const address = /^[^\s@<>(),;:\\"[\]]+@[^\s@<>(),;:\\"[\]]+$/

/** An e-mail address, trimmed. It is stored as given and compared case-insensitively. */
export const Email = bounded(1024, "must be an e-mail address")
  .pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.trim()),
    Schema.check(
      Schema.makeFilter((text: string) =>
        address.test(text) && text.isWellFormed() && !hasControls(text) && utf8Length(text) <= 254
          ? undefined
          : "must be an e-mail address"
      )
    )
  )
  .annotate({ description: "An e-mail address." })
