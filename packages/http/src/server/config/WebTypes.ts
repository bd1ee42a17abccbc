/**
 * The types of settings that hold networks, URLs, origins and sources of Content-Security-Policy.
 */
import * as FrameAncestors from "../../players/FrameAncestors.ts"
import * as TrustedProxies from "../../incoming/TrustedProxies.ts"
import * as SettingType from "./SettingType.ts"

const isWeb = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:"

/** A URL without user, query and fragment. Trailing slashes are removed. */
export const baseUrl: SettingType.SettingType<string> = SettingType.make(
  "an http or https URL without user, query and fragment",
  (text) => {
    const url = URL.parse(text)
    if (url === null || !isWeb(url) || /[?#]/.test(text) || url.username !== "" || url.password !== "") return undefined
    return url.href.replace(/\/+$/, "")
  }
)

const origin: SettingType.SettingType<string> = SettingType.make("an origin", (text) => {
  if (text === "*") return text
  const url = URL.parse(text)
  return url !== null && isWeb(url) && url.href === `${url.origin}/` && !text.endsWith("/") ? url.origin : undefined
})

/** Origins as browsers send them (RFC 6454), or `*` for every origin. */
export const origins: SettingType.SettingType<ReadonlyArray<string>> = SettingType.list(
  "a comma-separated list of origins such as https://app.example.com, or *",
  origin
)

/**
 * The sources of the `frame-ancestors` directive of Content-Security-Policy. The header separates them by spaces; the
 * setting also accepts commas, as the settings that are lists do.
 */
export const frameAncestors: SettingType.SettingType<ReadonlyArray<string>> = SettingType.make(
  "sources of Content-Security-Policy's frame-ancestors, separated by spaces or commas ('self', schemes such as https:, hosts such as example.com or https://*.example.com:8443, or * for all), or 'none' alone",
  (text) => {
    const sources = text.trim().split(/\s*,\s*|\s+/)
    return !sources.includes("") && FrameAncestors.isValue(sources.join(" ")) ? sources : undefined
  }
)

/** Networks in CIDR notation, and single addresses. */
export const networks: SettingType.SettingType<ReadonlyArray<TrustedProxies.Network>> = SettingType.list(
  "a comma-separated list of networks and addresses such as 10.0.0.0/8, 2001:db8::/32 or 203.0.113.7",
  SettingType.make("a network", TrustedProxies.parseNetwork)
)

/** A path in front of other paths, without a trailing slash. */
export const pathPrefix: SettingType.SettingType<string> = SettingType.make("a path such as /s3", (text) =>
  /^(?:\/[A-Za-z0-9._~-]+)+$/.test(text) ? text : undefined
)

/** The name of a region of the S3 protocol. */
export const regionName: SettingType.SettingType<string> = SettingType.make("a region such as eu-central-1", (text) =>
  /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(text) ? text : undefined
)

/** A host name without a port, in lower case. */
export const hostName: SettingType.SettingType<string> = SettingType.make(
  "a host name such as s3.example.com",
  (text) => (/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(text) ? text.toLowerCase() : undefined)
)
