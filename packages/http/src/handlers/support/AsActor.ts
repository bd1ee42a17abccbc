/**
 * How a handler calls a service: as the request's actor, with problems instead of the service's errors.
 */
import type { Actor } from "@holdfast/core/Actor"
import * as Effect from "effect/Effect"
import { CurrentActor } from "../../contract/Authentication.ts"
import type * as Problem from "../../problems/Problem.ts"
import * as ProblemResponse from "../../problems/ProblemResponse.ts"

/**
 * Calls a service as the actor that `Authentication` found, and fails with the problem of the service's error. A problem
 * that the operation's contract does not list is a type error in the handler.
 */
export const asActor = <A, E extends ProblemResponse.CodedError, R>(
  call: (actor: Actor) => Effect.Effect<A, E, R>
): Effect.Effect<A, Problem.AnyOf<E["code"]>, R | CurrentActor> =>
  Effect.flatMap(CurrentActor, (actor) => Effect.catch(call(actor), (error) => ProblemResponse.fail<E["code"]>(error)))
