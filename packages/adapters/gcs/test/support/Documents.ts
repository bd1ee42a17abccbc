/**
 * JSON documents of service accounts.
 */
import * as Redacted from "effect/Redacted"
import { generateKeyPairSync } from "node:crypto"

/** Makes a private key, PEM. */
export const makeKey = (): string =>
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }).toString()

const key = makeKey()

/** Returns the document of an account whose tokens come from a URL. */
export const make = (tokenUri: string): Redacted.Redacted =>
  Redacted.make(
    JSON.stringify({
      type: "service_account",
      client_email: "account@testing.iam.gserviceaccount.com",
      private_key: key,
      token_uri: tokenUri
    })
  )

/** Returns a document with other fields. */
export const withFields = (document: Redacted.Redacted, fields: object): Redacted.Redacted =>
  Redacted.make(JSON.stringify({ ...JSON.parse(Redacted.value(document)), ...fields }))

/** Returns the lines of a document's private key, which no log may contain. */
export const keyLines = (document: Redacted.Redacted): ReadonlyArray<string> =>
  String((JSON.parse(Redacted.value(document)) as { readonly private_key: string }).private_key)
    .split("\n")
    .filter((line) => line.length > 40 && !line.startsWith("-"))
