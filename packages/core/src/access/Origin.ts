/**
 * The origins of web pages, as browsers state them in `Origin` (RFC 6454, section 6.2).
 */
import * as Schema from "effect/Schema"
import { bounded } from "../Text.ts"

/** Schemes other than HTTP's are those of apps and extensions, such as `capacitor://localhost`. */
const shape = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/

const isOrigin = (text: string): boolean =>
  shape.test(text) && (!/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text))

const Origin = bounded(255).check(
  Schema.makeFilter((text: string) =>
    isOrigin(text)
      ? undefined
      : "must be an origin as browsers state it, without a path or a default port, such as https://app.example.com"
  )
)

/** The origins from whose pages a token may be used. */
export const AllowedOrigins = Schema.Array(Origin).check(Schema.isMinLength(1), Schema.isMaxLength(20))
export type AllowedOrigins = typeof AllowedOrigins.Type
