/**
 * The option by which a host limits the pages that may show the players of the mounted API.
 */
import * as FrameAncestors from "../players/FrameAncestors.ts"

export interface FrameOptions {
  /**
   * The pages that may show a player in a frame, as sources of the `frame-ancestors` directive of Content-Security-Policy:
   * `["'self'", "https://www.example.com"]`, or `["'none'"]`. Default: all, `["*"]`.
   */
  readonly frameAncestors?: ReadonlyArray<string> | undefined
}

/** Returns the value of the directive. Throws a `TypeError` for sources that are not valid. */
export const toFrameAncestors = ({ frameAncestors = ["*"] }: FrameOptions): string => {
  const value = Array.isArray(frameAncestors) ? frameAncestors.join(" ") : ""
  if (FrameAncestors.isValue(value)) return value
  throw new TypeError(
    "frameAncestors must be a list of sources of Content-Security-Policy's frame-ancestors ('self', schemes such as https:, hosts such as " +
      `example.com or https://*.example.com:8443, or * for all), or ["'none'"]; got ${JSON.stringify(frameAncestors)}`
  )
}
