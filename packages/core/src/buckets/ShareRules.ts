/**
 * What the shares of a bucket may be. The rules hold at each use, so that they also end shares that were created before.
 */
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import * as UnknownFields from "../inputs/UnknownFields.ts"

const MaxSeconds = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 4_000_000_000 })))

export const ShareRules = Schema.Struct({
  allowed: Schema.Boolean.annotate({
    description: "Whether the bucket has shares. Without them, all existing ones rest."
  }),
  maxSeconds: MaxSeconds.annotate({
    description: "The longest life of a share, in seconds from its creation. Null: no limit."
  }),
  passwordRequired: Schema.Boolean.annotate({ description: "Whether a share without a password does not work." })
}).annotate({ identifier: "ShareRules" })
export type ShareRules = typeof ShareRules.Type

/** The rules as callers set them. */
export const Input = UnknownFields.refuse(
  Schema.Struct({
    allowed: Schema.optional(Schema.Boolean),
    maxSeconds: Schema.optional(MaxSeconds),
    passwordRequired: Schema.optional(Schema.Boolean)
  })
).annotate({
  description:
    "What the shares of the bucket may be: `allowed` (default true), `maxSeconds`, their longest life (default null, no limit), and " +
    "`passwordRequired` (default false). Replaces all three. Holds for existing shares too."
})
export type Input = typeof Input.Type

/** The rules of a bucket that permits every share. */
export const none: ShareRules = { allowed: true, maxSeconds: null, passwordRequired: false }

/** Returns the rules, with the defaults of those that are absent. */
export const fromInput = ({ allowed = true, maxSeconds = null, passwordRequired = false }: Input): ShareRules => ({
  allowed,
  maxSeconds,
  passwordRequired
})

/** Returns when a share ends: at its own time, and at the end of the longest life. Null for never. */
export const endOf = (
  { maxSeconds }: ShareRules,
  share: { readonly createdAt: DateTime.Utc; readonly expiresAt: DateTime.Utc | null }
): DateTime.Utc | null => {
  if (maxSeconds === null) return share.expiresAt
  const end = DateTime.add(share.createdAt, { seconds: maxSeconds })
  return share.expiresAt === null ? end : DateTime.min(end, share.expiresAt)
}

/** Whether a bucket with these rules permits a share. */
export const permits = (rules: ShareRules, { hasPassword }: { readonly hasPassword: boolean }): boolean =>
  rules.allowed && (hasPassword || !rules.passwordRequired)
