/**
 * An API token: a key that is tied to one member and works in that member's tenant only.
 */
import * as Schema from "effect/Schema"
import * as UnknownFields from "../inputs/UnknownFields.ts"
import { CreatedBy } from "../access/Creator.ts"
import { AllowedOrigins } from "../access/Origin.ts"
import { Scope } from "../access/Scope.ts"
import * as Input from "../Input.ts"
import { Label, Reference } from "../Text.ts"
import { Instant } from "../Time.ts"

export const Token = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  member: Schema.Struct({ id: Schema.String }),
  prefix: Schema.String.annotate({ description: "The first characters of the key, for display." }),
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  scope: Schema.NullOr(Scope).annotate({ description: "Null: the token has all permissions of its member." }),
  allowedOrigins: Schema.NullOr(AllowedOrigins).annotate({ description: "Null: requests may come from anywhere." }),
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
  }),
  scope: Schema.optional(Scope).annotate({
    description:
      "The part of the member's permissions that the token has, within the scope of the token that creates this one. Each field " +
      "that is absent is that of the creating token."
  }),
  allowedOrigins: Schema.optional(AllowedOrigins).annotate({
    description:
      "The origins of the web pages from which the key may be used, such as `https://app.example.com`. A request of another page, and " +
      "one that states no page, answers `origin_not_allowed`. When absent, those of the token that creates this one."
  })
})
  .annotate({ identifier: "CreateToken" })
  .pipe(UnknownFields.refuseSimilar)
export type CreateToken = typeof CreateToken.Type

/** Decodes the input of a service: the time is a value already, all else is as in `CreateToken`. */
export const decodeCreate = Input.decoder(
  UnknownFields.refuseSimilar(
    Schema.Struct({ ...CreateToken.fields, expiresAt: Schema.toType(CreateToken.fields.expiresAt) })
  )
)
