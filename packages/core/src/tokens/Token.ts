/**
 * An API token: a key that is tied to one member and works in that member's tenant only.
 */
import * as Schema from "effect/Schema"
import { CreatedBy } from "../access/Creator.ts"
import { Label, Reference } from "../Text.ts"
import { Instant } from "../Time.ts"

export const Token = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  member: Schema.Struct({ id: Schema.String }),
  prefix: Schema.String.annotate({ description: "The first characters of the key, for display." }),
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  createdBy: CreatedBy,
  createdAt: Schema.DateTimeUtcFromString,
  lastUsedAt: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({ description: "Up to a minute old." }),
  revokedAt: Schema.NullOr(Schema.DateTimeUtcFromString)
}).annotate({ identifier: "Token" })
export type Token = typeof Token.Type

/** The result of creating a token: the only response that contains the key. */
export const CreatedToken = Schema.Struct({
  ...Token.fields,
  key: Schema.String.annotate({ description: "The API key. Only this response contains it; it cannot be read again." })
}).annotate({ identifier: "CreatedToken" })
export type CreatedToken = typeof CreatedToken.Type

export const CreateToken = Schema.Struct({
  name: Label,
  member: Schema.Struct({ id: Reference }),
  expiresAt: Schema.optional(Schema.NullOr(Instant)).annotate({
    description:
      "In the future, within the deployment's maximum lifetime, and no later than the token that creates this one. When " +
      "absent, the latest permitted time. Null only where the deployment allows keys that never expire."
  })
}).annotate({ identifier: "CreateToken" })
export type CreateToken = typeof CreateToken.Type
