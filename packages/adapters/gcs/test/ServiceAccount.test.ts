import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import * as ServiceAccount from "../src/internal/client/ServiceAccount.ts"

const pem = (bits: number): string =>
  generateKeyPairSync("rsa", { modulusLength: bits }).privateKey.export({ type: "pkcs8", format: "pem" }).toString()

const key = pem(2048)

const good = {
  type: "service_account",
  client_email: "account@testing.iam.gserviceaccount.com",
  private_key: key,
  private_key_id: "7",
  token_uri: "https://example.com/token"
}

/** Returns the reason why a document is not valid. */
const reasonFor = (document: unknown): string => {
  const text = typeof document === "string" ? document : JSON.stringify(document)
  return Result.getOrThrow(Result.flip(ServiceAccount.parse(text)))
}

const decode = (part = ""): unknown => JSON.parse(Buffer.from(part, "base64url").toString())

describe("ServiceAccount", () => {
  it("makeAssertion: claims, signed with the account's key", () => {
    const account = Result.getOrThrow(ServiceAccount.parse(JSON.stringify(good)))
    const [header, payload, signature = ""] = ServiceAccount.makeAssertion(account, 1_700_000_000_999).split(".")
    assert.deepStrictEqual(decode(header), { alg: "RS256", typ: "JWT", kid: "7" })
    assert.deepStrictEqual(decode(payload), {
      iss: good.client_email,
      aud: good.token_uri,
      scope: "https://www.googleapis.com/auth/devstorage.read_write",
      iat: 1_700_000_000,
      exp: 1_700_003_600
    })
    const signed = Buffer.from(`${header}.${payload}`)
    assert.isTrue(verify("RSA-SHA256", signed, createPublicKey(key), Buffer.from(signature, "base64url")))
  })

  it("parse: no token_uri → Google's token endpoint", () => {
    const account = Result.getOrThrow(ServiceAccount.parse(JSON.stringify({ ...good, token_uri: undefined })))
    assert.strictEqual(account.tokenUri.href, "https://oauth2.googleapis.com/token")
  })

  // Documents that name files to read, programs to run or addresses to request.
  it.each([
    {
      type: "external_account",
      token_url: "https://sts.googleapis.com/v1/token",
      credential_source: { file: "/etc/passwd" }
    },
    { type: "external_account", credential_source: { executable: { command: "/bin/true", timeout_millis: 5000 } } },
    { type: "external_account", credential_source: { url: "http://169.254.169.254/" } },
    { type: "external_account_authorized_user", refresh_token: "secret" },
    { type: "impersonated_service_account", service_account_impersonation_url: "http://127.0.0.1/" },
    { type: "authorized_user", refresh_token: "secret", client_secret: "secret" },
    { type: "gdch_service_account", ca_cert_path: "/etc/passwd" },
    { ...good, type: undefined }
  ])("parse: type $type → not a service account", (document) => {
    assert.include(reasonFor(document), "not those of a service account")
  })

  it.each([
    ["", "not a JSON document"],
    ["null", "not a JSON document"],
    ['"/etc/passwd"', "not a JSON document"],
    [{ ...good, client_email: "" }, "lack client_email"],
    [{ ...good, private_key: 7 }, "lack client_email or private_key"],
    [{ ...good, private_key: "/etc/ssl/private/key.pem" }, "not an RSA key"],
    [{ ...good, private_key: "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----" }, "not an RSA key"],
    [{ ...good, token_uri: "file:///etc/passwd" }, "token_uri"],
    [{ ...good, token_uri: "https://user:secret@example.com/" }, "token_uri"]
  ])("parse: %j → %s", (document, expected) => {
    const reason = reasonFor(document)
    assert.include(reason, expected)
    assert.notInclude(reason, "secret")
  })

  it("parse: RSA key of 4608 bits, or EC key → not valid", () => {
    assert.include(reasonFor({ ...good, private_key: pem(4608) }), "4096")
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    assert.include(reasonFor({ ...good, private_key: privateKey.export({ type: "pkcs8", format: "pem" }) }), "RSA")
  })
})
