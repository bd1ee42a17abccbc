/**
 * The headers that a file is served with: attaching, listing, removing.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Access, type AccessError } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { InvalidRequest, NotFound } from "../Errors.ts"
import { find, select } from "../files/FileLookup.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileRepository } from "../files/FileRepository.ts"
import * as Input from "../Input.ts"
import * as Header from "./Header.ts"

export class Headers extends Context.Service<
  Headers,
  {
    /** Attaches one header; one of the same name is replaced. */
    readonly set: (
      actor: Actor,
      file: FileRef,
      input: Header.Header
    ) => Effect.Effect<Header.Header, AccessError | InvalidRequest | NotFound>

    /** Attaches several headers, all or none. */
    readonly setAll: (
      actor: Actor,
      file: FileRef,
      input: Header.SetHeaders
    ) => Effect.Effect<ReadonlyArray<Header.Header>, AccessError | InvalidRequest | NotFound>

    readonly list: (actor: Actor, file: FileRef) => Effect.Effect<ReadonlyArray<Header.Header>, AccessError | NotFound>

    /** Takes a header away, by its name in any case. */
    readonly remove: (actor: Actor, file: FileRef, name: string) => Effect.Effect<void, AccessError | NotFound>
  }
>()("@holdfast/core/headers/Headers") {}

const decodeOne = Input.decoder(Header.Header)
const decodeAll = Input.decoder(Header.SetHeaders)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository

  const change = <E>(
    ref: FileRef,
    f: (headers: ReadonlyArray<Header.Header>) => Result.Result<ReadonlyArray<Header.Header>, E>
  ) =>
    Effect.gen(function* () {
      const selector = yield* select(ref)
      return yield* repository.updateHeaders(ref, selector, f, yield* DateTime.now)
    })

  const put = (ref: FileRef, changes: ReadonlyArray<Header.Header>, pointer: string) =>
    change(ref, (current) => {
      const merged = Header.merge(current, changes)
      const fault = Header.excess(merged)
      return fault === undefined ? Result.succeed(merged) : Result.fail(InvalidRequest.at(pointer, fault))
    })

  return Headers.of({
    set: Effect.fn("Headers.set")(function* (actor, ref, input) {
      yield* access.require(actor, ref.tenantId, "file:write")
      const header = yield* decodeOne(input)
      yield* put(ref, [header], "")
      return header
    }),

    setAll: Effect.fn("Headers.setAll")(function* (actor, ref, input) {
      yield* access.require(actor, ref.tenantId, "file:write")
      const headers = Header.merge([], (yield* decodeAll(input)).bulk)
      yield* put(ref, headers, "/bulk")
      return headers
    }),

    list: Effect.fn("Headers.list")(function* (actor, ref) {
      yield* access.require(actor, ref.tenantId, "file:read")
      return (yield* find(repository, ref)).headers
    }),

    remove: Effect.fn("Headers.remove")(function* (actor, ref, name) {
      yield* access.require(actor, ref.tenantId, "file:write")
      yield* change(ref, (current) => {
        const rest = current.filter((header) => !Header.sameName(header.name, name))
        return rest.length === current.length ? Result.fail(new NotFound({ resource: "header" })) : Result.succeed(rest)
      })
    })
  })
})

export const layer: Layer.Layer<Headers, never, Access | FileRepository> = Layer.effect(Headers, make)
