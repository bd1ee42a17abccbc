/**
 * The headers of a player page. It carries a key in its addresses, so no cache keeps it and nobody is told where it is;
 * it runs scripts of its own origin alone and calls nobody else.
 */

import * as FrameAncestors from "./FrameAncestors.ts"

/** By lower-case name. */
export type Headers = Readonly<Record<string, string>>

/** Media come through objects that a script feeds, which have addresses of the scheme `blob`; the icon is an empty `data`. */
const policy = (frameAncestors: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "worker-src 'none'",
    `frame-ancestors ${FrameAncestors.isValue(frameAncestors) ? frameAncestors : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")

/** What a player needs of a browser's features, and refuses of those that ask people for something. */
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
 * The headers of a page.
 *
 * @param frameAncestors Who may show it in a frame. A text that is no value of the directive allows nobody; the service's
 *   configuration has none such.
 */
export const of = (frameAncestors: string): Headers => ({
  "content-type": "text/html; charset=utf-8",
  "cache-control": "private, no-store",
  "content-security-policy": policy(frameAncestors),
  "permissions-policy": permissions,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})
