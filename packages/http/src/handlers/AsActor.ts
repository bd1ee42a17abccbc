/**
 * From a handler to a service: on behalf of whoever asks, and with problems for errors.
 */
import type { Actor } from "@holdfast/core/Actor"
import * as Effect from "effect/Effect"
import { CurrentActor } from "../contract/Authentication.ts"
import type * as Problem from "../problems/Problem.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"

/**
 * Calls a service as the request's actor. The contract lists the problems that its errors become: one that is missing
 * there does not compile.
 */
export const asActor = <A, E extends ProblemResponse.Coded, R>(
  call: (actor: Actor) => Effect.Effect<A, E, R>
): Effect.Effect<A, Problem.AnyOf<E["code"]>, R | CurrentActor> =>
  Effect.flatMap(CurrentActor, (actor) => Effect.catch(call(actor), (error) => ProblemResponse.fail<E["code"]>(error)))
