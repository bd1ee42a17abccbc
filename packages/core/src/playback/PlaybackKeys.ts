/**
 * Issues and verifies playback keys. A playback key replaces, in the addresses of a playlist, the key from which it was
 * derived. It permits reading one stream of one file for some hours. Because it is in every address of a playlist, it permits
 * no more than that. A new content or a new conversion has other keys and therefore other addresses: no player mixes two
 * contents, and no cache returns a segment of the former one.
 *
 * A key is `hfp_`, then in base64url its payload followed by the HMAC-SHA-256 (RFC 2104) of the payload under the
 * deployment's secret:
 *
 *     byte 0       version: 1
 *     byte 1       format (0 HLS, 1 DASH) in the high half, kind of parent (0 system, 1 key, 2 account) in the low one
 *     bytes 2–5    expiry, in seconds since 1970
 *     bytes 6–21   UUID of the file
 *     bytes 22–37  UUID of the conversion
 *     then         the parent: nothing, the key's SHA-256, or UUID of the account
 *
 * The HMAC also covers the ids of tenant and bucket. Nothing is stored: each use checks the permissions of the parent.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Mac from "effect/crypto/Mac"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { Unauthenticated } from "../Errors.ts"
import { Settings } from "../Settings.ts"
import * as PlaybackKeyPayload from "./internal/PlaybackKeyPayload.ts"
import { PlaybackGrant, type StreamRef, type Viewer } from "./Viewer.ts"

/** The secret that signs the keys. All nodes of a deployment need the same one; by default each process makes its own. */
export const PlaybackSecret = Context.Reference<Redacted.Redacted<Uint8Array> | undefined>(
  "@holdfast/core/playback/PlaybackSecret",
  { defaultValue: () => undefined }
)

export interface PlaybackKey {
  readonly key: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

export class PlaybackKeys extends Context.Service<
  PlaybackKeys,
  {
    /**
     * Issues the key with which a viewer's player reads a stream. The caller has checked that the viewer may read it. For a
     * twelfth of the keys' lifetime the same viewer gets the same key, so that a player that reloads a growing playlist finds
     * the addresses that it knows. The holder of a playback key gets that key again: using a key does not prolong it.
     */
    readonly issue: (viewer: Viewer, stream: StreamRef) => Effect.Effect<PlaybackKey>

    /** Verifies a key for a bucket. `Unauthenticated` for an expired key and for a text that is no key of this bucket. */
    readonly verify: (text: string, bucket: BucketRef) => Effect.Effect<PlaybackGrant, Unauthenticated>

    /** Whether this process has verified the key before. Requires no computation. */
    readonly isKnown: (text: string, bucket: BucketRef) => boolean
  }
>()("@holdfast/core/playback/PlaybackKeys") {}

const prefix = "hfp_"
const pattern = /^hfp_[A-Za-z0-9_-]{92,137}$/
const tagLength = 32
/** Verified keys in the cache. A full cache is cleared. */
const cacheCapacity = 4096

/** Whether a text has the prefix of a playback key, as opposed to an API key. */
export const isPlaybackKey = (text: string): boolean => text.startsWith(prefix)

const encoder = new TextEncoder()

/** Returns the bytes that the HMAC covers. The line feeds separate the fields unambiguously, since no id contains one. */
const signedBytes = ({ bucketId, tenantId }: BucketRef, payload: Uint8Array): Uint8Array => {
  const context = encoder.encode(`holdfast playback\n${tenantId}\n${bucketId}\n`)
  const bytes = new Uint8Array(context.length + payload.length)
  bytes.set(context)
  bytes.set(payload, context.length)
  return bytes
}

const cacheKeyOf = (text: string, { bucketId, tenantId }: BucketRef): string => `${tenantId} ${bucketId} ${text}`

const unauthenticated = Effect.fail(new Unauthenticated())

const make = Effect.gen(function* () {
  const mac = yield* Mac.Mac
  const configured = yield* PlaybackSecret
  const lifetime = Duration.toMillis((yield* Settings).playbackLifetime)
  const secret = yield* configured === undefined
    ? mac.generateKey(Mac.hmacSha256)
    : Mac.key(Mac.hmacSha256, Redacted.value(configured))
  /** Milliseconds. Expiries are rounded up to a multiple of this, so that a key stays the same in between. */
  const step = Math.max(1000, lifetime / 12)
  const verified = new Map<string, PlaybackGrant>()

  const decodeKey = Effect.fnUntraced(function* (text: string, bucket: BucketRef) {
    const decoded = pattern.test(text) ? Base64Url.decode(text.slice(prefix.length)) : undefined
    if (decoded === undefined || Result.isFailure(decoded)) return yield* unauthenticated
    // The last character has unused bits. Only the canonical spelling of a key is valid.
    if (prefix + Base64Url.encode(decoded.success) !== text) return yield* unauthenticated
    const bytes = decoded.success.subarray(0, -tagLength)
    const tag = decoded.success.subarray(-tagLength)
    if (!(yield* Effect.orDie(mac.verify(secret, tag, signedBytes(bucket, bytes))))) return yield* unauthenticated
    const payload = PlaybackKeyPayload.decode(bytes)
    if (payload === undefined) return yield* unauthenticated
    const { conversionId, expiresAt, fileId, format, parent } = payload
    const { bucketId, tenantId } = bucket
    return new PlaybackGrant({
      stream: { tenantId, bucketId, fileId, format, conversionId },
      parent,
      key: Redacted.make(text, { label: "PlaybackKey" }),
      expiresAt: DateTime.makeUnsafe(expiresAt)
    })
  })

  return PlaybackKeys.of({
    issue: Effect.fnUntraced(function* (viewer, stream) {
      if (viewer._tag === "PlaybackGrant") return { key: viewer.key, expiresAt: viewer.expiresAt }
      const now = yield* Clock.currentTimeMillis
      const seconds = Math.ceil((Math.ceil((now + lifetime) / step) * step) / 1000)
      const expiresAt = seconds * 1000
      const { conversionId, fileId, format } = stream
      const payload = PlaybackKeyPayload.encode({ expiresAt, fileId, format, conversionId, parent: viewer })
      const tag = yield* Effect.orDie(mac.sign(secret, signedBytes(stream, payload)))
      const bytes = new Uint8Array([...payload, ...tag])
      return {
        key: Redacted.make(prefix + Base64Url.encode(bytes), { label: "PlaybackKey" }),
        expiresAt: DateTime.makeUnsafe(expiresAt)
      }
    }),

    isKnown: (text, bucket) => verified.has(cacheKeyOf(text, bucket)),

    verify: (text, bucket) =>
      Clock.clockWith((clock) => {
        const now = clock.currentTimeMillisUnsafe()
        const cacheKey = cacheKeyOf(text, bucket)
        const cached = verified.get(cacheKey)
        const grant = cached === undefined ? decodeKey(text, bucket) : Effect.succeed(cached)
        return Effect.flatMap(grant, (found) => {
          if (DateTime.toEpochMillis(found.expiresAt) <= now) return unauthenticated
          if (cached === undefined) {
            if (verified.size >= cacheCapacity) verified.clear()
            verified.set(cacheKey, found)
          }
          return Effect.succeed(found)
        })
      })
  })
})

/** Keys that are signed with the deployment's `PlaybackSecret`. */
export const layer: Layer.Layer<PlaybackKeys, never, SecureRandom> = Layer.effect(
  PlaybackKeys,
  Effect.orDie(make)
).pipe(Layer.provide(Mac.layerWebCrypto))
