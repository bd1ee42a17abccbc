/**
 * The port that seals secrets at rest, such as a mirror's credentials.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

/**
 * - `NoKey`: there is no key to seal with.
 * - `UnknownKey`: the key that sealed it is not configured.
 * - `Unreadable`: it was altered, or it belongs to another context.
 */
export class SecretError extends Data.TaggedError("SecretError")<{
  readonly reason: "NoKey" | "UnknownKey" | "Unreadable"
}> {
  readonly code = "internal"
  override get message(): string {
    return this.reason === "NoKey" ? "There is no key to seal secrets with." : "A sealed secret could not be opened."
  }
}

export class SecretBox extends Context.Service<
  SecretBox,
  {
    /**
     * Seals a secret under the current key. `context` (a record's id) is authenticated, not stored: the same sealed
     * text does not open under another context.
     */
    readonly seal: (secret: Redacted.Redacted, context: string) => Effect.Effect<string, SecretError>

    /** Opens a sealed text; keys that were current earlier still open what they sealed. */
    readonly open: (sealed: string, context: string) => Effect.Effect<Redacted.Redacted, SecretError>

    /** Whether a sealed text was sealed by an earlier key and should be sealed anew. */
    readonly isStale: (sealed: string) => boolean
  }
>()("@holdfast/core/secrets/SecretBox") {}

/** A box without a key: it seals nothing and opens nothing. Mirrors cannot be made then, and all else works. */
export const layerNone: Layer.Layer<SecretBox> = Layer.succeed(
  SecretBox,
  SecretBox.of({
    seal: () => Effect.fail(new SecretError({ reason: "NoKey" })),
    open: () => Effect.fail(new SecretError({ reason: "UnknownKey" })),
    isStale: () => false
  })
)
