/**
 * The port that seals secrets at rest, such as a mirror's credentials.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** A sealed text cannot be opened: its key is not configured, or it was altered, or it belongs to another context. */
export class SecretError extends Data.TaggedError("SecretError")<{
  readonly reason: "UnknownKey" | "Unreadable"
}> {
  readonly code = "internal"
  override readonly message = "A sealed secret could not be opened."
}

export class SecretBox extends Context.Service<
  SecretBox,
  {
    /**
     * Seals a secret under the current key. `context` (a record's id) is authenticated, not stored: the same sealed
     * text does not open under another context.
     */
    readonly seal: (secret: Redacted.Redacted, context: string) => Effect.Effect<string>

    /** Opens a sealed text; keys that were current earlier still open what they sealed. */
    readonly open: (sealed: string, context: string) => Effect.Effect<Redacted.Redacted, SecretError>

    /** Whether a sealed text was sealed by an earlier key and should be sealed anew. */
    readonly isStale: (sealed: string) => boolean
  }
>()("@holdfast/core/secrets/SecretBox") {}
