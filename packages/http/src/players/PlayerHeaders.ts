/**
 * The headers of a player page. The page contains a key, so that caches must not store it and no referrer is sent. It runs
 * only scripts of its own origin and connects to no other origin.
 */
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as FrameAncestors from "./FrameAncestors.ts"

/** By lower-case name. */
export type Headers = Readonly<Record<string, string>>

/**
 * Sources of media for the player of a format. A script appends it to a MediaSource, which has a `blob:` address. The empty texts to which
 * hls.js adds captions have `data:` addresses; dash.js needs none.
 */
const mediaSources = { hls: "'self' blob: data:", dash: "'self' blob:" } satisfies {
  readonly [format in Format]: string
}

/** The empty icon is a `data:` address. */
const policy = (frameAncestors: string, format: Format | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `media-src ${format === undefined ? "'none'" : mediaSources[format]}`,
    "connect-src 'self'",
    "worker-src 'none'",
    `frame-ancestors ${FrameAncestors.isValue(frameAncestors) ? frameAncestors : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")

/** Allows the features that a player needs. Denies those for which browsers ask the user. */
const permissions = [
  "autoplay=(self)",
  "fullscreen=(self)",
  "picture-in-picture=(self)",
  "camera=()",
  "microphone=()",
  "geolocation=()",
  "display-capture=()",
  "payment=()",
  "usb=()"
].join(", ")

/**
 * Returns the headers of a page.
 *
 * @param frameAncestors Value of the directive of this name. An invalid value denies all frames; the service's configuration
 *   rejects such values.
 * @param format The format of the stream that the page plays; undefined for a page without a player.
 */
export const of = (frameAncestors: string, format?: Format): Headers => ({
  "content-type": "text/html; charset=utf-8",
  "cache-control": "private, no-store",
  "content-security-policy": policy(frameAncestors, format),
  "permissions-policy": permissions,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})
