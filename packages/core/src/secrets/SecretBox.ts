/**
 * The port that encrypts (seals) secrets for storage, such as a mirror's credentials.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

/**
 * What a caller reads where the deployment has no secret key. Callers may be tenants of a service, whose operator sets the key, or the
 * program that opened the library.
 */
export const keyRemedy =
  "Its operator sets one: HOLDFAST_SECRET_KEY of the service, or the option secretKey of open() in the library."

/**
 * - `NoKey`: no key is configured to seal with.
 * - `UnknownKey`: the key that sealed the text is not configured.
 * - `Unreadable`: the sealed text was altered, or belongs to another context.
 */
export class SecretError extends Data.TaggedError("SecretError")<{
  readonly reason: "NoKey" | "UnknownKey" | "Unreadable"
}> {
  readonly code = "internal"
  override get message(): string {
    return this.reason === "NoKey"
      ? "No key is configured to seal secrets with."
      : "A sealed secret could not be opened."
  }
}

export class SecretBox extends Context.Service<
  SecretBox,
  {
    /**
     * Seals a secret with the current key. `context` (a record's id) is authenticated but not stored: the sealed text opens
     * only with the same context.
     */
    readonly seal: (secret: Redacted.Redacted, context: string) => Effect.Effect<string, SecretError>

    /** Opens a sealed text, with the current or a former key. */
    readonly open: (sealed: string, context: string) => Effect.Effect<Redacted.Redacted, SecretError>

    /** Whether a text was sealed with a former key, so that it should be sealed again. */
    readonly isStale: (sealed: string) => boolean
  }
>()("@holdfast/core/secrets/SecretBox") {}

/** A SecretBox without a key: both methods fail. Mirrors cannot be created with it; everything else works. */
export const layerNone: Layer.Layer<SecretBox> = Layer.succeed(
  SecretBox,
  SecretBox.of({
    seal: () => Effect.fail(new SecretError({ reason: "NoKey" })),
    open: () => Effect.fail(new SecretError({ reason: "UnknownKey" })),
    isStale: () => false
  })
)
