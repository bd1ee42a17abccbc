/**
 * The secret that signs playback keys and links.
 */
import * as Context from "effect/Context"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/**
 * At least 32 random bytes. All nodes of a deployment need the same ones. Without a secret each process makes its own: what it signs
 * is valid in this process only.
 */
export const SigningSecret = Context.Reference<Redacted.Redacted<Uint8Array> | undefined>(
  "@holdfast/core/secrets/SigningSecret",
  { defaultValue: () => undefined }
)

/** What the derived secret is for. Another text would end all playback keys and links. */
const purpose = new TextEncoder().encode("holdfast playback keys")

/**
 * Derives the signing secret from the secret key of the deployment, as its HMAC-SHA-256 (RFC 2104) of a fixed text. Processes with the
 * same secret key, of the service and of programs with the library, accept each other's playback keys and links.
 */
export const derive = (
  secretKey: Redacted.Redacted<Uint8Array>
): Effect.Effect<Redacted.Redacted<Uint8Array>, never, Mac.Mac> =>
  Mac.Mac.pipe(
    Effect.flatMap((mac) =>
      Effect.flatMap(Mac.key(Mac.hmacSha256, Redacted.value(secretKey)), (key) => mac.sign(key, purpose))
    ),
    // The algorithm accepts keys of every length.
    Effect.orDie,
    Effect.map((bytes) => Redacted.make(new Uint8Array(bytes), { label: "SigningSecret" }))
  )
