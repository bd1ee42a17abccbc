/**
 * The JSON document of a service account's key.
 *
 * The kinds of documents for other accounts name files to read, programs to run and addresses to ask, which must not be
 * done for a document of a user's; they are refused. Of this kind the key, its owner and the token endpoint are used,
 * and nothing else. The SDK's own client for it is not: that always asks Google's token endpoint, whatever the document
 * says.
 */
import * as Endpoint from "@holdfast/outbound/Endpoint"
import * as Result from "effect/Result"
import { createPrivateKey, type KeyObject, sign } from "node:crypto"

export interface ServiceAccount {
  readonly email: string
  readonly key: KeyObject
  readonly keyId: string | undefined
  readonly tokenUri: URL
  /** The same as the document spells it. */
  readonly audience: string
}

const googleTokenUri = "https://oauth2.googleapis.com/token"

/** Google's keys have 2048 bits; signing takes long with far larger ones. */
const maxKeyBits = 4096

const text = (document: object, name: string): string | undefined => {
  const value: unknown = Reflect.get(document, name)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Neither the parser's nor OpenSSL's words are passed on: they may quote the document. */
const attempt = <A>(make: () => A): A | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** The account of a document, or why it is none. */
export const parse = (source: string): Result.Result<ServiceAccount, string> => {
  const document = attempt((): unknown => JSON.parse(source))
  if (typeof document !== "object" || document === null) return Result.fail("The credentials are no JSON document.")
  if (text(document, "type") !== "service_account") {
    return Result.fail("The credentials are not those of a service account: their type is not service_account.")
  }
  const email = text(document, "client_email")
  const pem = text(document, "private_key")
  if (email === undefined || pem === undefined) {
    return Result.fail("The credentials lack client_email or private_key.")
  }
  const key = attempt(() => createPrivateKey(pem))
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? Infinity
  if (key?.asymmetricKeyType !== "rsa" || bits > maxKeyBits) {
    return Result.fail("The private_key of the credentials is no RSA key of at most 4096 bits.")
  }
  const audience = text(document, "token_uri") ?? googleTokenUri
  return Result.match(Endpoint.parse(audience), {
    onFailure: (why) => Result.fail(`The token_uri of the credentials cannot be used. ${why}`),
    onSuccess: (tokenUri) => Result.succeed({ email, key, keyId: text(document, "private_key_id"), tokenUri, audience })
  })
}

const lifetimeSeconds = 3600

/** What the store and a mirror's target need: reading and writing objects. */
export const scope = "https://www.googleapis.com/auth/devstorage.read_write"

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** What a token is given for (RFC 7523), signed now. */
export const assertion = ({ audience, email, key, keyId }: ServiceAccount, nowMillis: number): string => {
  const iat = Math.floor(nowMillis / 1000)
  const header = { alg: "RS256", typ: "JWT", kid: keyId }
  const signed = `${part(header)}.${part({ iss: email, aud: audience, scope, iat, exp: iat + lifetimeSeconds })}`
  return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url")}`
}
