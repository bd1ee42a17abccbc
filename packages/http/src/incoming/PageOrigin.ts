/**
 * Finds the web page that a request comes from.
 */

interface Headers {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
}

/**
 * Returns the origin of the page that sent a request; null if the request does not state it. Browsers omit `Origin` from requests for
 * images, videos and frames, and from `GET` to the page's own origin; then `Referer` has the page's address or its origin.
 */
export const of = ({ origin, referer }: Headers): string | null => {
  if (typeof origin === "string") return origin
  return typeof referer === "string" && URL.canParse(referer) ? new URL(referer).origin : null
}
