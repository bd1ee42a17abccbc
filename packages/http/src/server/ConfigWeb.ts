/**
 * Kinds of values that name places on the web.
 */
import * as ConfigKind from "./ConfigKind.ts"

const isWeb = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:"

/** An address without user, query and fragment; a trailing slash is dropped. */
export const address: ConfigKind.Kind<string> = ConfigKind.make(
  "an http or https address without user, query and fragment",
  (text) => {
    const url = URL.parse(text)
    if (url === null || !isWeb(url) || /[?#]/.test(text) || url.username !== "" || url.password !== "") return undefined
    return url.href.replace(/\/+$/, "")
  }
)

const origin: ConfigKind.Kind<string> = ConfigKind.make("an origin", (text) => {
  if (text === "*") return text
  const url = URL.parse(text)
  return url !== null && isWeb(url) && url.href === `${url.origin}/` && !text.endsWith("/") ? url.origin : undefined
})

/** Origins as browsers send them (RFC 6454), or `*` for any. */
export const origins: ConfigKind.Kind<ReadonlyArray<string>> = ConfigKind.list(
  "a comma-separated list of origins such as https://app.example.com, or *",
  origin
)

const ancestor: ConfigKind.Kind<string> = ConfigKind.make("a source", (text) =>
  /^[^\s;,]+$/.test(text) ? text : undefined
)

/** Source expressions of the `frame-ancestors` directive of Content-Security-Policy. */
export const ancestors: ConfigKind.Kind<ReadonlyArray<string>> = ConfigKind.list(
  "a comma-separated list of sources of Content-Security-Policy, such as 'self', https://*.example.com, 'none' or *",
  ancestor
)
