/**
 * Gives an object of a mirror target another description: the port's method `describe`.
 */
import type { MirrorObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import type * as Connection from "../client/Connection.ts"
import * as Objects from "../client/Objects.ts"
import type * as GcsFailure from "../GcsFailure.ts"
import * as MirrorDescription from "./MirrorDescription.ts"
import * as MirrorObjects from "./MirrorObjects.ts"

/** How many changes by other programs are tolerated while the object is described. */
const maxRestarts = 5

/** Implements the port's `describe`. One conditional PATCH replaces the whole description. */
export const describe = (
  connection: Connection.Connection,
  { description, name }: MirrorObject
): Effect.Effect<WriteReceipt, GcsFailure.GcsFailure> =>
  Effect.gen(function* () {
    const stored = yield* Objects.get(connection, name)
    const conditions = { ifGenerationMatch: stored.generation, ifMetagenerationMatch: stored.metageneration }
    const fields = MirrorDescription.toPatch(description, stored)
    return MirrorObjects.toReceipt(yield* Objects.patch(connection, name, fields, conditions))
    // A PATCH whose answer was lost has also changed the metageneration.
  }).pipe(Effect.retry({ while: ({ kind }) => kind === "Changed", times: maxRestarts }))
