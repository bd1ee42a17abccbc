/**
 * Makes the methods of the Promise API from a table of effects.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Actor } from "../../Actor.ts"
import type { ActorHandle } from "./ActorHandle.ts"
import * as CallerStack from "./CallerStack.ts"
import type { CallOptions, Methods, Paged, Rejection } from "../Operations.ts"
import * as Iterators from "./Iterators.ts"
import type { Done, PromiseApiServices } from "../PromiseRuntime.ts"
import { type CheckFields, checkFor, type Fields, type InputFields } from "./options/InputFields.ts"
import { toDates, type WithTimes } from "./Times.ts"

/** Runs one operation of an open Holdfast for an actor. */
export type Invoke = <A>(
  actor: ActorHandle,
  input: object,
  options: CallOptions | undefined,
  operation: (actor: Actor) => Effect.Effect<A, Rejection, PromiseApiServices>
) => Done<A> | Promise<A>

/** For each operation the effect that performs it. Its result has the times of the core, `DateTime.Utc`. */
type Implementation<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (input: infer Input) => infer Result
    ? (
        actor: Actor,
        input: NonNullable<Input>
      ) => Effect.Effect<WithTimes<Result, DateTime.Utc>, Rejection, PromiseApiServices>
    : never
}

type AnyOperation = (actor: Actor, input: object) => Effect.Effect<unknown, Rejection, PromiseApiServices>

/** Returns one method for each operation. */
export const bind = <Operations>(
  invoke: Invoke,
  implementation: Implementation<Operations>,
  fields: InputFields<Operations>,
  ...[paged]: Paged<Operations>
): Methods<Operations, [actor: ActorHandle]> => {
  const method = (operation: AnyOperation, checkFields: CheckFields) => {
    const call = (handle: ActorHandle, input: object = {}, options?: CallOptions) => {
      try {
        checkFields(input)
        const result = invoke(handle, input, options, (actor) => Effect.map(operation(actor, input), toDates))
        if (!(result instanceof Promise)) return Promise.resolve(result.value)
        // Not before: a call that has succeeded without waiting needs no stack, and to capture it takes some 3 µs.
        const caller = CallerStack.capture(call)
        return result.catch((error: unknown) => {
          throw caller.addTo(error)
        })
      } catch (error) {
        return Promise.reject(CallerStack.capture(call).addTo(error))
      }
    }
    return call
  }
  const operations = implementation as { readonly [name: string]: AnyOperation }
  const known = fields as { readonly [name: string]: Fields }
  const methods = Object.entries(operations).map(([name, operation]) => [
    name,
    method(operation, checkFor(known[name] ?? {}))
  ])
  const bound = Object.fromEntries(methods)
  return { ...bound, ...Iterators.make(bound, paged) } as Methods<Operations, [actor: ActorHandle]>
}
