/**
 * The fields of the inputs of mirrors.
 */
import * as Schema from "effect/Schema"
import { hasControls } from "../Text.ts"

const field = (most: number) =>
  Schema.String.check(
    Schema.makeFilter((text: string) =>
      text.trim() === ""
        ? "must not be empty"
        : text.length > most
          ? `must be at most ${most} characters`
          : hasControls(text) || !text.isWellFormed()
            ? "must not contain control characters"
            : undefined
    )
  )

export const Field = field(255)

/** What is wrong with it is told without the value. */
const secret = (most: number) =>
  Schema.RedactedFromValue(
    Schema.String.annotate({ message: "must be a text" }).check(
      Schema.makeFilter((text: string) =>
        text.trim() === ""
          ? "must not be empty"
          : text.length > most || !text.isWellFormed() || text.includes("\0")
            ? "is not such a secret"
            : undefined
      )
    )
  ).annotate({ description: "A secret. It is sealed at rest and never comes back." })

export const Secret = secret(1024)
export const Document = secret(65_536)

const isAddress = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (
    url !== undefined &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === ""
  )
}

export const Endpoint = field(1024)
  .check(
    Schema.makeFilter((text: string) =>
      isAddress(text) ? undefined : "must be a URL of http or https, without user, query and fragment"
    )
  )
  .annotate({ description: "The address of a compatible service; the vendor's own when absent." })
