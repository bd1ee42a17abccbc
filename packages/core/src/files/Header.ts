/**
 * The response headers that users set on a file. The service sends them whenever it serves the file.
 */
import * as Schema from "effect/Schema"
import { mostHeaders } from "../quotas/Quota.ts"
import { atMost, utf8Length } from "../Text.ts"
import * as HeaderNames from "./internal/HeaderNames.ts"

/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** RFC 9110, section 5.5: visible characters, inner spaces and tabs, obs-text; never CR, LF or NUL. */
const fieldValue =
  /^(?:[\u0021-\u007e\u0080-\u00ff](?:[\u0020\u0009\u0021-\u007e\u0080-\u00ff]*[\u0021-\u007e\u0080-\u00ff])?)?$/

/** The most bytes of all names and values of one file's headers. */
export const maxBytes = 8192

export const HeaderName = Schema.String.check(
  Schema.makeFilter(
    (name: string) =>
      !token.test(name)
        ? "must be an HTTP field name"
        : name.length > 256
          ? "must be at most 256 characters"
          : HeaderNames.isAllowed(name.toLowerCase())
            ? undefined
            : `must be the name of a header that describes the content (${[...HeaderNames.descriptive].join(", ")}), ` +
              "or a name of your own: x- and letters, digits and hyphens, unless proxies or browsers act upon it",
    atMost(256)
  )
).annotate({
  description:
    [...HeaderNames.descriptive].map((name) => `\`${name}\`, `).join("") +
    "or a name of your own that begins with `x-` and that no proxy or browser acts upon."
})

export const HeaderValue = Schema.String.check(
  Schema.makeFilter(
    (value: string) =>
      value.length > maxBytes
        ? `must be at most ${maxBytes} characters`
        : fieldValue.test(value)
          ? undefined
          : "must be an HTTP field value of printable characters",
    atMost(maxBytes)
  )
)

export const Header = Schema.Struct({ name: HeaderName, value: HeaderValue }).annotate({ identifier: "Header" })
export type Header = typeof Header.Type

/** A header as it is stored. An earlier version may have accepted a name that is refused now: such a header is not sent. */
export const StoredHeader = Schema.Struct({ name: Schema.String, value: Schema.String }).annotate({
  identifier: "StoredHeader"
})

/** The headers of one file, or changes of them. */
export const Headers = Schema.Array(Header).check(Schema.isMaxLength(mostHeaders))

/** The body of a bulk change: sets all headers or none. */
export const SetHeaders = Schema.Struct({ bulk: Headers }).annotate({ identifier: "SetHeaders" })
export type SetHeaders = typeof SetHeaders.Type

/** Whether two names name the same header: names are compared case-insensitively (RFC 9110, section 5.1). */
export const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Returns the headers after setting `changes`: an existing name is replaced at its position, a new one is appended. */
export const merge = (current: ReadonlyArray<Header>, changes: ReadonlyArray<Header>): ReadonlyArray<Header> => {
  const merged = new Map(current.map((header) => [header.name.toLowerCase(), header]))
  for (const header of changes) merged.set(header.name.toLowerCase(), header)
  return [...merged.values()]
}

/** Returns why a set of headers is too large; undefined when it is not. */
export const excess = (headers: ReadonlyArray<Header>): string | undefined => {
  if (headers.length > mostHeaders) return `a file can have at most ${mostHeaders} headers`
  const bytes = headers.reduce((sum, { name, value }) => sum + utf8Length(name) + utf8Length(value), 0)
  return bytes > maxBytes ? `a file's headers can have at most ${maxBytes} bytes together` : undefined
}

const isSent = ({ name }: Header): boolean => HeaderNames.isAllowed(name.toLowerCase())

/**
 * Returns those of a file's stored headers that are sent with its content: all but those whose names an earlier version
 * accepted and this one refuses.
 */
export const sent = (headers: ReadonlyArray<Header>): ReadonlyArray<Header> =>
  headers.every(isSent) ? headers : headers.filter(isSent)

/** Returns the value of a header by its name, in any case. */
export const valueOf = (headers: ReadonlyArray<Header>, name: string): string | undefined =>
  headers.find((header) => sameName(header.name, name))?.value
