/**
 * Conflicts of aliases, which are unique in a bucket, as a token sees them that is limited to a folder.
 */
import * as Effect from "effect/Effect"
import { folderOf, type Identity } from "../../access/Access.ts"
import { AliasTaken } from "../FileErrors.ts"

/** Removes the id of the file that has the alias from the error, unless the identity may see all files of the bucket. */
export const hideOwner =
  (identity: Identity) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | AliasTaken, R> =>
    folderOf(identity) === undefined
      ? self
      : Effect.mapError(self, (error) =>
          error instanceof AliasTaken ? new AliasTaken({ existingId: undefined }) : error
        )
