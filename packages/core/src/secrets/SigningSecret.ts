/**
 * The secret that signs playback keys and links.
 */
import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/**
 * At least 32 random bytes. All nodes of a deployment need the same ones. Without a secret each process makes its own: what it signs
 * is valid in this process only.
 */
export const SigningSecret = Context.Reference<Redacted.Redacted<Uint8Array> | undefined>(
  "@holdfast/core/secrets/SigningSecret",
  { defaultValue: () => undefined }
)
