/**
 * Kinds of secret values. What they read is redacted at once.
 */
import * as ApiKey from "@holdfast/core/access/ApiKey"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as ConfigKind from "./ConfigKind.ts"

/** A kind whose values are never printed. */
export const secret = <A>(kind: ConfigKind.Kind<A>): ConfigKind.Kind<A> => ({ ...kind, isSecret: true })

/** A key in the format of core's `ApiKey`, its checksum included. */
export const accountKey: ConfigKind.Kind<Redacted.Redacted> = secret({
  accepts: "an account key: hf_ and 49 more characters, as `holdfast` prints it",
  read: (text): Effect.Effect<Option.Option<Redacted.Redacted>, never, Digest> =>
    Effect.option(Effect.map(ApiKey.parse(text), ({ key }) => key))
})

const keyLength = 32

/** 32 bytes in base64 or base64url, padded or not. */
export const secretKey: ConfigKind.Kind<Redacted.Redacted<Uint8Array>> = secret(
  ConfigKind.make("32 bytes in base64", (text) => {
    const canonical = text.replaceAll("+", "-").replaceAll("/", "_").replace(/=$/, "")
    const decoded = Base64Url.decode(canonical)
    return Result.isSuccess(decoded) && decoded.success.length === keyLength
      ? Redacted.make(decoded.success, { label: "SecretKey" })
      : undefined
  })
)

export const secretKeys: ConfigKind.Kind<ReadonlyArray<Redacted.Redacted<Uint8Array>>> = secret(
  ConfigKind.list("a comma-separated list of keys, each 32 bytes in base64", secretKey)
)

/** The address of a PostgreSQL database. It is a secret, since it may hold a password. */
export const databaseUrl: ConfigKind.Kind<Redacted.Redacted> = secret(
  ConfigKind.make("an address such as postgresql://user@host:5432/database", (text) =>
    /^postgres(?:ql)?:\/\//i.test(text) && URL.canParse(text)
      ? Redacted.make(text, { label: "DatabaseUrl" })
      : undefined
  )
)
