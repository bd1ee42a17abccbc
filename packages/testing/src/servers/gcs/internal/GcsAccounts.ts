/**
 * Service accounts, and the token endpoint that exchanges an assertion signed with an account's key for a token (RFC
 * 7523).
 */
import { createPublicKey, generateKeyPairSync, randomUUID, verify } from "node:crypto"
import * as Resource from "./GcsResource.ts"

/** A service account. */
export interface Account {
  readonly email: string
  readonly privateKey: string
  /** Whether it has all permissions, or none. */
  readonly isPermitted: boolean
}

export interface Accounts {
  readonly owner: Account
  /** Has no permissions. */
  readonly unprivileged: Account
  /** Valid tokens, and their accounts. */
  readonly tokens: Map<string, Account>
}

const account = (name: string, isPermitted: boolean): Account => ({
  email: `${name}@testing.iam.gserviceaccount.com`,
  privateKey: generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  }).privateKey,
  isPermitted
})

/** Makes both accounts, with keys of their own. */
export const make = (): Accounts => ({
  owner: account("owner", true),
  unprivileged: account("unprivileged", false),
  tokens: new Map()
})

/** Returns a service account's JSON document, as Google's console supplies it. */
export const toDocument = ({ email, privateKey }: Account, tokenUri: string): string =>
  JSON.stringify({
    type: "service_account",
    project_id: "testing",
    private_key_id: "1",
    private_key: privateKey,
    client_email: email,
    client_id: "1",
    token_uri: tokenUri
  })

const lifetimeSeconds = 3600

/** Makes a token of an account. It authorizes any request that carries it. */
export const grantToken = ({ tokens }: Accounts, account: Account) => {
  const token = `ya29.${randomUUID()}`
  tokens.set(token, account)
  return { access_token: token, expires_in: lifetimeSeconds, token_type: "Bearer" }
}

const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const scopes = /auth\/(cloud-platform|devstorage\.(full_control|read_write))\b/

const decode = (part: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString())
    return Resource.isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

const invalidGrant = (description: string) => ({
  status: 400,
  body: { error: "invalid_grant", error_description: description }
})

/** Returns the response of the token endpoint. */
export const exchangeAssertion = (
  accounts: Accounts,
  form: URLSearchParams,
  tokenUri: string
): { readonly status: number; readonly body: object } => {
  if (form.get("grant_type") !== grantType) {
    return { status: 400, body: { error: "unsupported_grant_type", error_description: "Invalid grant_type" } }
  }
  const [header = "", payload = "", signature = ""] = (form.get("assertion") ?? "").split(".")
  const claims = decode(payload)
  const account = [accounts.owner, accounts.unprivileged].find(({ email }) => email === claims["iss"])
  if (account === undefined) return invalidGrant("Invalid grant: account not found")
  const key = createPublicKey(account.privateKey)
  const isSigned = verify("RSA-SHA256", Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"))
  if (decode(header)["alg"] !== "RS256" || !isSigned) return invalidGrant("Invalid JWT Signature.")
  const { aud, exp, iat, scope } = claims
  const now = Date.now() / 1000
  const isTimely = Number(iat) < now + 300 && Number(exp) > now && Number(exp) - Number(iat) <= lifetimeSeconds
  if (!isTimely) return invalidGrant("Invalid JWT: Token must be a short-lived token and in a reasonable timeframe.")
  if (aud !== tokenUri) return invalidGrant("Invalid JWT: Failed audience check.")
  if (!scopes.test(String(scope))) return { status: 400, body: { error: "invalid_scope", error_description: "scope" } }
  return { status: 200, body: grantToken(accounts, account) }
}
