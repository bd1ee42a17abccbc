/**
 * Issues and verifies playback keys. A playback key replaces, in the addresses of a playlist, the key from which it was
 * derived. It permits reading one stream of one file for some hours. Because it is in every address of a playlist, it permits
 * no more than that. A new content or a new conversion has other keys and therefore other addresses: no player mixes two
 * contents, and no cache returns a segment of the former one.
 *
 * A key is a signed key (`SignedKeys`) with the prefix `hfp_` and this payload:
 *
 *     byte 0       version: 1
 *     byte 1       format (0 HLS, 1 DASH) in the high half, kind of parent in the low one, as in a link
 *     bytes 2–5    expiry, in seconds since 1970
 *     bytes 6–21   UUID of the file
 *     bytes 22–37  UUID of the conversion
 *     then         the parent, as in a link
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { BucketRef } from "../buckets/BucketRef.ts"
import type { Unauthenticated } from "../Errors.ts"
import * as SignedKeys from "../secrets/SignedKeys.ts"
import { Settings } from "../Settings.ts"
import * as PlaybackKeyPayload from "./internal/PlaybackKeyPayload.ts"
import { PlaybackGrant, type StreamRef, type KeyedViewer } from "./Viewer.ts"

export interface PlaybackKey {
  readonly key: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

export interface IssueOptions {
  /** Seconds until the key expires. Default: `Settings.playbackLifetime`, or up to a twelfth longer. */
  readonly expiresIn?: number | undefined
}

export class PlaybackKeys extends Context.Service<
  PlaybackKeys,
  {
    /**
     * Issues the key with which a viewer's player reads a stream. The caller has checked that the viewer may read it. For a
     * twelfth of the keys' lifetime the same viewer gets the same key, so that a player that reloads a growing playlist finds
     * the addresses that it knows. The holder of a playback key gets that key again: using a key does not prolong it.
     */
    readonly issue: (viewer: KeyedViewer, stream: StreamRef, options?: IssueOptions) => Effect.Effect<PlaybackKey>

    /** Verifies a key for a bucket. `Unauthenticated` for an expired key and for a text that is no key of this bucket. */
    readonly verify: (text: string, bucket: BucketRef) => Effect.Effect<PlaybackGrant, Unauthenticated>

    /** Whether this process has verified the key before. Requires no computation. */
    readonly isKnown: (text: string, bucket: BucketRef) => boolean
  }
>()("@holdfast/core/playback/PlaybackKeys") {}

const prefix = "hfp_"

/** Whether a text has the prefix of a playback key, as opposed to an API key. */
export const isPlaybackKey = (text: string): boolean => text.startsWith(prefix)

const toGrant: SignedKeys.Kind<PlaybackGrant>["toGrant"] = (bytes, { bucketId, tenantId }, key) => {
  const payload = PlaybackKeyPayload.decode(bytes)
  if (payload === undefined) return undefined
  const { conversionId, expiresAt, fileId, format, parent } = payload
  return new PlaybackGrant({
    stream: { tenantId, bucketId, fileId, format, conversionId },
    parent,
    key,
    expiresAt: DateTime.makeUnsafe(expiresAt)
  })
}

const make = Effect.gen(function* () {
  const lifetime = Duration.toMillis((yield* Settings).playbackLifetime)
  /** Milliseconds. Expiries are rounded up to a multiple of this, so that a key stays the same in between. */
  const step = Math.max(1000, lifetime / 12)
  const { isKnown, sign, verify } = yield* SignedKeys.make({
    prefix,
    purpose: "holdfast playback",
    minPayload: PlaybackKeyPayload.headLength,
    maxPayload: PlaybackKeyPayload.maxLength,
    toGrant
  })

  return PlaybackKeys.of({
    issue: Effect.fnUntraced(function* (viewer, stream, { expiresIn } = {}) {
      if (viewer._tag === "PlaybackGrant") return { key: viewer.key, expiresAt: viewer.expiresAt }
      const now = yield* Clock.currentTimeMillis
      const end = expiresIn === undefined ? Math.ceil((now + lifetime) / step) * step : now + expiresIn * 1000
      const seconds = Math.ceil(end / 1000)
      const expiresAt = seconds * 1000
      const { conversionId, fileId, format } = stream
      const key = yield* sign(
        stream,
        PlaybackKeyPayload.encode({
          expiresAt,
          fileId,
          format,
          conversionId,
          parent: viewer._tag === "ShareGrant" ? viewer.parent : viewer
        })
      )
      return { key, expiresAt: DateTime.makeUnsafe(expiresAt) }
    }),
    verify,
    isKnown
  })
})

/** Keys that are signed with the deployment's `SigningSecret`. */
export const layer: Layer.Layer<PlaybackKeys, never, SecureRandom> = Layer.effect(PlaybackKeys, make).pipe(
  Layer.provide(SignedKeys.layerMac)
)
