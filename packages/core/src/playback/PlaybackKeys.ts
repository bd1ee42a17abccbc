/**
 * Keys for players: good for reading one stream of one file, for some hours, in place of the key that they were made from.
 * They stand in every address of a playlist, which is why they are worth so little. A new content, or a conversion made
 * anew, has other keys and so other addresses: no player mixes two, and no cache holds the former for the latter.
 *
 * A key is `hfp_` and, in base64url, what it says followed by its HMAC-SHA-256 (RFC 2104) under the deployment's secret:
 *
 *     byte 0       version: 1
 *     byte 1       format (0 HLS, 1 DASH) in the high half, kind of parent (0 system, 1 key, 2 account) in the low one
 *     bytes 2–5    when it expires, in seconds since 1970
 *     bytes 6–21   UUID of the file
 *     bytes 22–37  UUID of the conversion
 *     then         the parent: nothing, the key's SHA-256, or UUID of the account
 *
 * The HMAC covers tenant and bucket, too. Nothing is stored: the parent's standing is looked up with each use.
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
import { Unauthenticated } from "../Errors.ts"
import type { BucketRef } from "../buckets/BucketRef.ts"
import { Settings } from "../Settings.ts"
import * as PlaybackClaims from "./PlaybackClaims.ts"
import { Playback, type StreamRef, type Viewer } from "./Viewer.ts"

/** What keys are signed with. All nodes of a deployment need the same; by default each process makes its own. */
export const PlaybackSecret = Context.Reference<Redacted.Redacted<Uint8Array> | undefined>(
  "@holdfast/core/streams/PlaybackSecret",
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
     * The key with which a viewer's player reads a stream; whether the viewer may is for the caller to have asked. The same
     * viewer gets the same key for a while, so that a player that reloads a growing playlist finds the addresses it
     * knows. The holder of a playback key gets no new one, but this: no key lives on by being used.
     */
    readonly issue: (viewer: Viewer, stream: StreamRef) => Effect.Effect<PlaybackKey>

    /** Whoever holds this key, in a bucket; `Unauthenticated` for any text that is no key of it, or an expired one. */
    readonly verify: (text: string, bucket: BucketRef) => Effect.Effect<Playback, Unauthenticated>
  }
>()("@holdfast/core/playback/PlaybackKeys") {}

const prefix = "hfp_"
const shape = /^hfp_[A-Za-z0-9_-]{92,137}$/
const tagLength = 32
/** So many keys are remembered as genuine; then the memory begins anew. */
const capacity = 4096

/** Whether a text is meant to be a playback key, not an API key. */
export const isPlaybackKey = (text: string): boolean => text.startsWith(prefix)

const encoder = new TextEncoder()

/** What the tag covers: no id has a line's end in it. */
const covered = ({ bucketId, tenantId }: BucketRef, claims: Uint8Array): Uint8Array => {
  const place = encoder.encode(`holdfast playback\n${tenantId}\n${bucketId}\n`)
  const all = new Uint8Array(place.length + claims.length)
  all.set(place)
  all.set(claims, place.length)
  return all
}

const refused = Effect.fail(new Unauthenticated())

const make = Effect.gen(function* () {
  const mac = yield* Mac.Mac
  const given = yield* PlaybackSecret
  const lifetime = Duration.toMillis((yield* Settings).playbackLifetime)
  const secret = yield* given === undefined
    ? mac.generateKey(Mac.hmacSha256)
    : Mac.key(Mac.hmacSha256, Redacted.value(given))
  /** Expiries are rounded up to a multiple of this, so that keys stay the same in between. */
  const step = Math.max(1000, lifetime / 12)
  const genuine = new Map<string, Playback>()

  const open = Effect.fnUntraced(function* (text: string, bucket: BucketRef) {
    const decoded = shape.test(text) ? Base64Url.decode(text.slice(prefix.length)) : undefined
    if (decoded === undefined || Result.isFailure(decoded)) return yield* refused
    // One key has one spelling: the last character has bits to spare.
    if (prefix + Base64Url.encode(decoded.success) !== text) return yield* refused
    const claims = decoded.success.subarray(0, -tagLength)
    const tag = decoded.success.subarray(-tagLength)
    if (!(yield* Effect.orDie(mac.verify(secret, tag, covered(bucket, claims))))) return yield* refused
    const read = PlaybackClaims.decode(claims)
    if (read === undefined) return yield* refused
    const { conversionId, expiresAt, fileId, format, parent } = read
    const { bucketId, tenantId } = bucket
    return new Playback({
      stream: { tenantId, bucketId, fileId, format, conversionId },
      parent,
      key: Redacted.make(text, { label: "PlaybackKey" }),
      expiresAt: DateTime.makeUnsafe(expiresAt)
    })
  })

  return PlaybackKeys.of({
    issue: Effect.fnUntraced(function* (viewer, stream) {
      if (viewer._tag === "Playback") return { key: viewer.key, expiresAt: viewer.expiresAt }
      const now = yield* Clock.currentTimeMillis
      const seconds = Math.ceil((Math.ceil((now + lifetime) / step) * step) / 1000)
      const expiresAt = seconds * 1000
      const { conversionId, fileId, format } = stream
      const claims = PlaybackClaims.encode({ expiresAt, fileId, format, conversionId, parent: viewer })
      const tag = yield* Effect.orDie(mac.sign(secret, covered(stream, claims)))
      const bytes = new Uint8Array([...claims, ...tag])
      return {
        key: Redacted.make(prefix + Base64Url.encode(bytes), { label: "PlaybackKey" }),
        expiresAt: DateTime.makeUnsafe(expiresAt)
      }
    }),

    verify: (text, bucket) =>
      Clock.clockWith((clock) => {
        const now = clock.currentTimeMillisUnsafe()
        const id = `${bucket.tenantId} ${bucket.bucketId} ${text}`
        const known = genuine.get(id)
        const playback = known === undefined ? open(text, bucket) : Effect.succeed(known)
        return Effect.flatMap(playback, (found) => {
          if (DateTime.toEpochMillis(found.expiresAt) <= now) return refused
          if (known === undefined) {
            if (genuine.size >= capacity) genuine.clear()
            genuine.set(id, found)
          }
          return Effect.succeed(found)
        })
      })
  })
})

/** Keys under the deployment's `PlaybackSecret`. */
export const layer: Layer.Layer<PlaybackKeys, never, SecureRandom> = Layer.effect(
  PlaybackKeys,
  Effect.orDie(make)
).pipe(Layer.provide(Mac.layerWebCrypto))
