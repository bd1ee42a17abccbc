/**
 * Sessions of the pages of shares. A session is a signed key (`SignedKeys`) that names the share, so that nothing is stored for it. It
 * ends with the share, after twelve hours, and when the password of the share changes.
 *
 * The payload: byte 0 the layout, 1; bytes 1–4 the expiry in seconds since 1970; bytes 5–20 the first half of the SHA-256 of the stored
 * hash of the password, zeros for a share without one.
 */
import * as Context from "effect/Context"
import { Digest, sha256 } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { AccessError } from "../../access/Access.ts"
import * as Actor from "../../Actor.ts"
import { Unauthenticated } from "../../Errors.ts"
import * as SignedKeys from "../../secrets/SignedKeys.ts"
import type { ShareGrant } from "./Share.ts"
import { ShareUse } from "./ShareUse.ts"

export class ShareSessions extends Context.Service<
  ShareSessions,
  {
    /** Begins a session of a share that was opened. */
    readonly begin: (grant: ShareGrant) => Effect.Effect<Redacted.Redacted>

    /** Finds the share of a session. Fails with `Unauthenticated` when the session or the share has ended. */
    readonly resume: (shareId: string, session: string) => Effect.Effect<ShareGrant, AccessError>
  }
>()("@holdfast/core/files/shares/ShareSessions") {}

/** Seconds. */
export const lifetime = 12 * 3600

const layout = 1
const headLength = 5
const passwordLength = 16

interface Session extends SignedKeys.Grant {
  readonly password: string
}

const scopeOf = (shareId: string): SignedKeys.KeyScope => ({ tenantId: shareId, bucketId: "page" })

const toGrant: SignedKeys.Kind<Session>["toGrant"] = (payload, { tenantId: shareId }) => {
  if (payload[0] !== layout || payload.length !== headLength + passwordLength) return undefined
  const seconds = new DataView(payload.buffer, payload.byteOffset).getUint32(1)
  return {
    parent: Actor.share(shareId, 0),
    expiresAt: DateTime.makeUnsafe(seconds * 1000),
    password: Hex.encode(payload.subarray(headLength))
  }
}

const make = Effect.gen(function* () {
  const shares = yield* ShareUse
  const digest = yield* Digest
  const { sign, verify } = yield* SignedKeys.make({
    prefix: "hfw_",
    purpose: "holdfast share session",
    minPayload: headLength + passwordLength,
    maxPayload: headLength + passwordLength,
    toGrant
  })

  /** Returns what of the password a session contains. */
  const passwordOf = ({ share: { password } }: ShareGrant): Effect.Effect<Uint8Array> =>
    password === null
      ? Effect.succeed(new Uint8Array(passwordLength))
      : Effect.map(Effect.orDie(digest.digest(sha256, new TextEncoder().encode(password))), (hash) =>
          hash.subarray(0, passwordLength)
        )

  return ShareSessions.of({
    begin: Effect.fnUntraced(function* (grant) {
      const payload = new Uint8Array(headLength + passwordLength)
      payload[0] = layout
      new DataView(payload.buffer).setUint32(1, (yield* SignedKeys.expiryAfter(lifetime)) / 1000)
      payload.set(yield* passwordOf(grant), headLength)
      return yield* sign(scopeOf(grant.share.id), payload)
    }),

    resume: Effect.fnUntraced(function* (shareId, text) {
      const session = yield* verify(text, scopeOf(shareId))
      const grant = yield* shares.resume(shareId)
      if (session.password !== Hex.encode(yield* passwordOf(grant))) return yield* new Unauthenticated()
      return grant
    })
  })
})

/** Sessions that are signed with the deployment's `SigningSecret`. */
export const layer: Layer.Layer<ShareSessions, never, ShareUse | Digest | SecureRandom> = Layer.effect(
  ShareSessions,
  make
).pipe(Layer.provide(SignedKeys.layerMac))
