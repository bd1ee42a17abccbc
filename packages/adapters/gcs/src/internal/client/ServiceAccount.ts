/**
 * The JSON document of a service account's key.
 *
 * Documents for other kinds of accounts name files to read, programs to run and addresses to request. That must not be
 * done for a user's document, so they are refused. Of a service account's document only the key, its owner and the
 * token endpoint are used. The SDK's own client for it is not used: it always requests tokens from Google, whatever
 * endpoint the document names.
 */
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as Result from "effect/Result"
import { createPrivateKey, type KeyObject, sign } from "node:crypto"

/** The parts of the document that are used. */
export interface ServiceAccount {
  readonly email: string
  readonly key: KeyObject
  readonly keyId: string | undefined
  readonly tokenUri: URL
  /** The token endpoint as the document spells it. */
  readonly audience: string
}

const googleTokenUri = "https://oauth2.googleapis.com/token"

/** Google's keys have 2048 bits. Signing with a far larger key takes long. */
const maxKeyBits = 4096

const textOf = (document: object, name: string): string | undefined => {
  const value: unknown = Reflect.get(document, name)
  return typeof value === "string" && value !== "" ? value : undefined
}

/**
 * Returns undefined for an error. The messages of the parser and of OpenSSL may quote the document, and are dropped.
 */
const attempt = <A>(make: () => A): A | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** Parses a document. Returns the account, or the reason why the document is not valid, as a sentence. */
export const parse = (source: string): Result.Result<ServiceAccount, string> => {
  const document = attempt((): unknown => JSON.parse(source))
  if (typeof document !== "object" || document === null) return Result.fail("The credentials are not a JSON document.")
  if (textOf(document, "type") !== "service_account") {
    return Result.fail("The credentials are not those of a service account: their type is not service_account.")
  }
  const email = textOf(document, "client_email")
  const pem = textOf(document, "private_key")
  if (email === undefined || pem === undefined) {
    return Result.fail("The credentials lack client_email or private_key.")
  }
  const key = attempt(() => createPrivateKey(pem))
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? Infinity
  if (key?.asymmetricKeyType !== "rsa" || bits > maxKeyBits) {
    return Result.fail("The private_key of the credentials is not an RSA key of at most 4096 bits.")
  }
  const audience = textOf(document, "token_uri") ?? googleTokenUri
  return Result.match(Endpoint.parse(audience), {
    onFailure: (reason) => Result.fail(`The token_uri of the credentials is not valid. ${reason}`),
    onSuccess: (tokenUri) =>
      Result.succeed({ email, key, keyId: textOf(document, "private_key_id"), tokenUri, audience })
  })
}

const lifetimeSeconds = 3600

/** The scope that a store and a mirror target need: reading and writing objects. */
export const scope = "https://www.googleapis.com/auth/devstorage.read_write"

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Makes and signs the assertion that is exchanged for a token (RFC 7523). */
export const makeAssertion = ({ audience, email, key, keyId }: ServiceAccount, nowMillis: number): string => {
  const iat = Math.floor(nowMillis / 1000)
  const header = { alg: "RS256", typ: "JWT", kid: keyId }
  const claims = { iss: email, aud: audience, scope, iat, exp: iat + lifetimeSeconds }
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url")}`
}
