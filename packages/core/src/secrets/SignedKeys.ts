/**
 * Signed keys: keys that state what they permit, so that nothing is stored for them. A key is a prefix, then in base64url a
 * payload followed by the HMAC-SHA-256 (RFC 2104) of the payload under the deployment's secret. The HMAC also covers the
 * purpose of the key and the ids of tenant and bucket.
 *
 * The holder of a key acts on behalf of its parent, the actor for whom the key was issued. Each use checks the permissions of
 * the parent.
 */
import * as Clock from "effect/Clock"
import * as Mac from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Actor } from "../Actor.ts"
import { Unauthenticated } from "../Errors.ts"
import * as Base64UrlText from "./internal/Base64UrlText.ts"
import { SigningSecret } from "./SigningSecret.ts"

/** What the holder of a key may do. */
export interface Grant {
  readonly parent: Actor
  readonly expiresAt: DateTime.Utc
}

/** The bucket in which a key is valid. */
export interface KeyScope {
  readonly tenantId: string
  readonly bucketId: string
}

/** One kind of keys. */
export interface Kind<G extends Grant> {
  readonly prefix: string
  /** Part of what the HMAC covers: the payload of one kind is no key of another one. Without line feeds. */
  readonly purpose: string
  /** Bytes. */
  readonly minPayload: number
  /** Bytes. */
  readonly maxPayload: number
  /** Returns what a key permits that was signed; undefined for a payload of another version. */
  readonly toGrant: (payload: Uint8Array, scope: KeyScope, key: Redacted.Redacted) => G | undefined
}

export interface SignedKeys<G extends Grant> {
  readonly sign: (scope: KeyScope, payload: Uint8Array) => Effect.Effect<Redacted.Redacted>

  /** As `sign`. Returns the text of the key, which the caller must not print. `Redacted` takes some 2 µs, much of it to collect the garbage. */
  readonly signText: (scope: KeyScope, payload: Uint8Array) => Effect.Effect<string>

  /** Verifies a key for a bucket. `Unauthenticated` for an expired key and for a text that is no key of this bucket. */
  readonly verify: (text: string, scope: KeyScope) => Effect.Effect<G, Unauthenticated>

  /** Whether this process has verified the key before. Requires no computation. */
  readonly isKnown: (text: string, scope: KeyScope) => boolean
}

/** Returns the expiry of a key that lasts for this many seconds: in epoch milliseconds, a multiple of 1000, as payloads store it. */
export const expiryAfter = (seconds: number): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.ceil(now / 1000 + seconds) * 1000)

const tagLength = 32
/** Verified keys in the cache. A full cache is cleared. */
const cacheCapacity = 4096

const encoder = new TextEncoder()

/** Returns the length in base64url, without padding. */
const encodedLength = (bytes: number): number => Math.ceil((bytes * 4) / 3)

const cacheKeyOf = (text: string, { bucketId, tenantId }: KeyScope): string => `${tenantId} ${bucketId} ${text}`

const unauthenticated = Effect.fail(new Unauthenticated())

/**
 * The HMAC of the application, for example `NodeCrypto.layerMac`, which is synchronous; otherwise that of WebCrypto, which takes
 * twice the time.
 */
export const layerMac: Layer.Layer<Mac.Mac, never, SecureRandom> = Layer.unwrap(
  Effect.map(
    Effect.serviceOption(Mac.Mac),
    Option.match({
      onNone: () => Mac.layerWebCrypto,
      onSome: (mac): Layer.Layer<Mac.Mac, never, SecureRandom> => Layer.succeed(Mac.Mac, mac)
    })
  )
)

/** Makes the functions that sign and verify the keys of a kind. */
export const make = Effect.fnUntraced(function* <G extends Grant>({
  maxPayload,
  minPayload,
  prefix,
  purpose,
  toGrant
}: Kind<G>) {
  const mac = yield* Mac.Mac
  const configured = yield* SigningSecret
  const secret = yield* Effect.orDie(
    configured === undefined ? mac.generateKey(Mac.hmacSha256) : Mac.key(Mac.hmacSha256, Redacted.value(configured))
  )
  const minLength = encodedLength(minPayload + tagLength)
  const maxLength = encodedLength(maxPayload + tagLength)
  const pattern = new RegExp(`^${prefix}[A-Za-z0-9_-]{${minLength},${maxLength}}$`)
  const verified = new Map<string, G>()
  const encode = Base64UrlText.makeEncoder(maxPayload + tagLength)

  /** The latest context: programs mostly create many keys for one bucket. */
  let latest = { text: "", bytes: encoder.encode("") }

  /** Returns the bytes that the HMAC covers. The line feeds separate the fields unambiguously, since no id contains one. */
  const signedBytes = ({ bucketId, tenantId }: KeyScope, payload: Uint8Array): Uint8Array => {
    const text = `${purpose}\n${tenantId}\n${bucketId}\n`
    if (latest.text !== text) latest = { text, bytes: encoder.encode(text) }
    const context = latest.bytes
    const bytes = new Uint8Array(context.length + payload.length)
    bytes.set(context)
    bytes.set(payload, context.length)
    return bytes
  }

  const decode = Effect.fnUntraced(function* (text: string, scope: KeyScope) {
    const decoded = pattern.test(text) ? Base64Url.decode(text.slice(prefix.length)) : undefined
    if (decoded === undefined || Result.isFailure(decoded)) return yield* unauthenticated
    // The last character has unused bits. Only the canonical spelling of a key is valid.
    if (prefix + Base64Url.encode(decoded.success) !== text) return yield* unauthenticated
    const payload = decoded.success.subarray(0, -tagLength)
    const tag = decoded.success.subarray(-tagLength)
    if (!(yield* Effect.orDie(mac.verify(secret, tag, signedBytes(scope, payload))))) return yield* unauthenticated
    return toGrant(payload, scope, Redacted.make(text, { label: "SignedKey" })) ?? (yield* unauthenticated)
  })

  const signText: SignedKeys<G>["signText"] = (scope, payload) =>
    Effect.map(Effect.orDie(mac.sign(secret, signedBytes(scope, payload))), (tag) => prefix + encode(payload, tag))

  const signed: SignedKeys<G> = {
    signText,

    sign: (scope, payload) =>
      Effect.map(signText(scope, payload), (text) => Redacted.make(text, { label: "SignedKey" })),

    isKnown: (text, scope) => verified.has(cacheKeyOf(text, scope)),

    verify: (text, scope) =>
      Clock.clockWith((clock) => {
        const now = clock.currentTimeMillisUnsafe()
        const cacheKey = cacheKeyOf(text, scope)
        const cached = verified.get(cacheKey)
        return Effect.flatMap(cached === undefined ? decode(text, scope) : Effect.succeed(cached), (grant) => {
          if (DateTime.toEpochMillis(grant.expiresAt) <= now) return unauthenticated
          if (cached === undefined) {
            if (verified.size >= cacheCapacity) verified.clear()
            verified.set(cacheKey, grant)
          }
          return Effect.succeed(grant)
        })
      })
  }
  return signed
})
