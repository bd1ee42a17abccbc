/**
 * What becomes of the tokens, mirrors and shares that a member created, when the member goes or may not create them any more.
 */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"

/**
 * - `end`: the tokens are revoked, the mirrors and shares removed. Copies stay at their targets.
 * - `transfer`: the member who makes the request becomes the creator.
 */
export const CreatedChoice = Schema.Literals(["end", "transfer"])
export type CreatedChoice = typeof CreatedChoice.Type

/**
 * Tokens of other members, and mirrors, that still work and that a member created itself or through a token, and shares that it created.
 */
export const CreatedResources = Schema.Struct({
  tokens: Schema.Int,
  mirrors: Schema.Int,
  shares: Schema.Int,
  items: Schema.Array(
    Schema.Struct({ kind: Schema.Literals(["TOKEN", "MIRROR", "SHARE"]), id: Schema.String, name: Schema.String })
  ).annotate({ description: "The first of them, at most 20." }),
  isComplete: Schema.Boolean.annotate({
    description: "Whether the numbers count everything. They count at most 1000."
  })
}).annotate({ identifier: "CreatedResources" })
export type CreatedResources = typeof CreatedResources.Type

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

/**
 * The member created tokens or mirrors that would work on without it, or shares that would end with it, and the request does not say what
 * becomes of them.
 */
export class CreatedResourcesRemain extends Data.TaggedError("CreatedResourcesRemain")<{
  readonly created: CreatedResources
}> {
  readonly code = "created_resources_remain"
  override get message(): string {
    const { isComplete, mirrors, shares, tokens } = this.created
    const numbers = `${isComplete ? "" : "at least "}${count(tokens, "token")}, ${count(mirrors, "mirror")} and ${count(shares, "share")}`
    return (
      `The member created ${numbers}. Repeat the request with created=end to revoke and remove them, ` +
      "or with created=transfer to become their creator."
    )
  }
}
