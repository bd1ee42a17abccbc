/**
 * Kinds of values that name places on the web.
 */
import * as FrameAncestors from "../../players/FrameAncestors.ts"
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

/**
 * What is to stand in the `frame-ancestors` directive of Content-Security-Policy, in its parts: the header has them with
 * blanks between them. Commas may part them as well, as in lists of other settings.
 */
export const ancestors: ConfigKind.Kind<ReadonlyArray<string>> = ConfigKind.make(
  "sources of Content-Security-Policy's frame-ancestors, separated by blanks or commas ('self', schemes such as https:, hosts such as example.com or https://*.example.com:8443, or * for all), or 'none' alone",
  (text) => {
    const sources = text.trim().split(/\s*,\s*|\s+/)
    return !sources.includes("") && FrameAncestors.isValue(sources.join(" ")) ? sources : undefined
  }
)
