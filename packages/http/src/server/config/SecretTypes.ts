/**
 * The types of secret settings. Each parses to a redacted value.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SettingType from "./SettingType.ts"

/** Marks a type as secret. */
export const secret = <A>(type: SettingType.SettingType<A>): SettingType.SettingType<A> => ({ ...type, isSecret: true })

/** A key in the format of core's `ApiKey`; its checksum is verified. */
export const accountKey: SettingType.SettingType<Redacted.Redacted> = secret({
  expected: "an account key as `holdfast keys generate` prints it: hf_ and 49 more characters",
  parse: (text): Effect.Effect<Option.Option<Redacted.Redacted>, never, Digest> =>
    Effect.option(Effect.map(ApiKey.parse(text), ({ key }) => key))
})

/** Bytes of a secret key. */
const keyLength = 32

/** 32 bytes in base64 or base64url, with or without padding. */
export const secretKey: SettingType.SettingType<Redacted.Redacted<Uint8Array>> = secret(
  SettingType.make("32 bytes in base64", (text) => {
    const canonical = text.replaceAll("+", "-").replaceAll("/", "_").replace(/=$/, "")
    const decoded = Base64Url.decode(canonical)
    return Result.isSuccess(decoded) && decoded.success.length === keyLength
      ? Redacted.make(decoded.success, { label: "SecretKey" })
      : undefined
  })
)

const parseHeader = (item: string): readonly [name: string, value: string] | undefined => {
  const [, name, value] = /^\s*([!#$%&'*+.^`|~\w-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(item) ?? []
  if (name === undefined || value === undefined) return undefined
  try {
    const decoded = decodeURIComponent(value)
    return /^[\x20-\x7e]*$/.test(decoded) ? [name.toLowerCase(), decoded] : undefined
  } catch {
    return undefined
  }
}

/** Headers in the form of OTEL_EXPORTER_OTLP_HEADERS, https://opentelemetry.io/docs/specs/otel/protocol/exporter. */
export const headers: SettingType.SettingType<Redacted.Redacted<Readonly<Record<string, string>>>> = secret(
  SettingType.make("a comma-separated list of headers, such as authorization=Bearer%20…", (text) => {
    const parsed = text.split(",").map(parseHeader)
    const valid = parsed.filter((header) => header !== undefined)
    return valid.length === parsed.length
      ? Redacted.make(Object.fromEntries(valid), { label: "OtlpHeaders" })
      : undefined
  })
)

export const secretKeys: SettingType.SettingType<ReadonlyArray<Redacted.Redacted<Uint8Array>>> = secret(
  SettingType.list("a comma-separated list of keys, each 32 bytes in base64", secretKey)
)

/** The URL of a PostgreSQL database. It is a secret because it may contain a password. */
export const databaseUrl: SettingType.SettingType<Redacted.Redacted> = secret(
  SettingType.make("a URL such as postgresql://user@host:5432/database", (text) =>
    /^postgres(?:ql)?:\/\//i.test(text) && URL.canParse(text)
      ? Redacted.make(text, { label: "DatabaseUrl" })
      : undefined
  )
)
