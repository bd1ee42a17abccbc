/**
 * Fields that inputs of several target types have.
 */
import * as Schema from "effect/Schema"
import { atMost, hasControls } from "../../../../Text.ts"

/** Returns what is wrong with the characters of a text. */
type CharacterFault = (value: string) => string | undefined

const ofControls: CharacterFault = (value) =>
  hasControls(value) || !value.isWellFormed() ? "must not contain control characters" : undefined

/** Clients of clouds send these texts in headers and host names, which have no other characters. */
const ofHeaders: CharacterFault = (value) =>
  /^[\x20-\x7e]*$/.test(value) ? undefined : "must contain only printable ASCII characters"

const text = (maxLength: number, faultOf = ofControls) =>
  Schema.String.check(
    Schema.makeFilter(
      (value: string) =>
        value.trim() === ""
          ? "must not be empty"
          : value.length > maxLength
            ? `must be at most ${maxLength} characters`
            : faultOf(value),
      atMost(maxLength)
    )
  )

/** A text of 1 to 255 characters, without control characters. */
export const Text = text(255)

/** A name or a key's id of a cloud: 1 to 255 printable characters of ASCII. */
export const CloudText = text(255, ofHeaders)

/** A secret text. Its faults are reported without the value. */
const secret = (maxLength: number, faultOf: CharacterFault = () => undefined) =>
  Schema.RedactedFromValue(
    Schema.String.annotate({ message: "must be a text" }).check(
      Schema.makeFilter(
        (value: string) =>
          value.trim() === ""
            ? "must not be empty"
            : value.length > maxLength || !value.isWellFormed() || value.includes("\0")
              ? `must be at most ${maxLength} characters of valid Unicode, without NUL`
              : faultOf(value),
        atMost(maxLength)
      )
    )
  ).annotate({ description: "A secret. It is encrypted at rest and never returned." })

/** A key: up to 1,024 characters. */
export const Secret = secret(1024)

/** A key in base64: up to 1,024 characters. */
export const Base64Secret = secret(1024, ofHeaders)

/** A document that is a secret as a whole: up to 65,536 characters. */
export const SecretDocument = secret(65_536)

const isAddress = (value: string): boolean => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return (
    url !== undefined &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === ""
  )
}

/** An address with its scheme, without user, query and fragment. */
export const Endpoint = text(1024)
  .check(
    Schema.makeFilter((value: string) =>
      isAddress(value) ? undefined : "must be a URL of http or https, without user, query and fragment"
    )
  )
  .annotate({ description: "The address of a compatible service. The cloud's own service when absent." })

/** An endpoint in a record: null when the input had none. */
export const EndpointOrNull = Schema.NullOr(Schema.String)
