/**
 * Sets, lists and removes the response headers of a file.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Access, type AccessError, type Identity } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { by } from "../events/EventAuthor.ts"
import { InvalidRequest, NotFound, type QuotaExceeded } from "../Errors.ts"
import * as HeaderLimit from "../files/internal/HeaderLimit.ts"
import { getFile, toSelector } from "../files/internal/FileLookup.ts"
import type { FileRef } from "../files/FileRef.ts"
import { FileWriter } from "../files/FileWriter.ts"
import { FileRepository } from "../files/FileRepository.ts"
import * as Header from "../files/Header.ts"
import * as Input from "../Input.ts"
import * as Traced from "../files/internal/Traced.ts"

export class Headers extends Context.Service<
  Headers,
  {
    /** Sets one header. Replaces a header with the same name. */
    readonly set: (
      actor: Actor,
      file: FileRef,
      input: Header.Header
    ) => Effect.Effect<Header.Header, AccessError | InvalidRequest | NotFound | QuotaExceeded>

    /** Sets several headers, all or none. */
    readonly setAll: (
      actor: Actor,
      file: FileRef,
      input: Header.SetHeaders
    ) => Effect.Effect<ReadonlyArray<Header.Header>, AccessError | InvalidRequest | NotFound | QuotaExceeded>

    /** Returns the file's headers, in the order in which they were first set. */
    readonly list: (actor: Actor, file: FileRef) => Effect.Effect<ReadonlyArray<Header.Header>, AccessError | NotFound>

    /** Removes a header by its name, in any case. Fails with `NotFound` when the file has no such header. */
    readonly remove: (actor: Actor, file: FileRef, name: string) => Effect.Effect<void, AccessError | NotFound>
  }
>()("@holdfast/core/headers/Headers") {}

const decodeOne = Input.decoder(Header.Header)
const decodeAll = Input.decoder(Header.SetHeaders)

const make = Effect.gen(function* () {
  const access = yield* Access
  const repository = yield* FileRepository
  const writer = yield* FileWriter
  const checkOf = yield* HeaderLimit.make

  const update = Effect.fnUntraced(function* <E>(
    identity: Identity,
    ref: FileRef,
    change: (headers: ReadonlyArray<Header.Header>) => Result.Result<ReadonlyArray<Header.Header>, E>
  ) {
    const selector = yield* toSelector(ref, identity)
    return yield* by(identity)(writer.updateHeaders({ bucket: ref, selector, change, at: yield* DateTime.now }))
  })

  const merge = (identity: Identity, ref: FileRef, changes: ReadonlyArray<Header.Header>, pointer: string) =>
    Effect.flatMap(checkOf(ref.tenantId), (check) =>
      update<InvalidRequest | QuotaExceeded>(identity, ref, (current) => {
        const merged = Header.merge(current, changes)
        const fault = Header.excess(merged)
        return fault === undefined
          ? Result.map(check(merged.length, current.length), () => merged)
          : Result.fail(InvalidRequest.at(pointer, fault))
      })
    )

  return Headers.of({
    set: Effect.fnUntraced(function* (actor, ref, input) {
      const identity = yield* access.require(actor, ref, "file:write")
      const header = yield* decodeOne(input)
      yield* merge(identity, ref, [header], "")
      return header
    }, Traced.inSpan("Headers.set")),

    setAll: Effect.fn("Headers.setAll")(function* (actor, ref, input) {
      const identity = yield* access.require(actor, ref, "file:write")
      const headers = Header.merge([], (yield* decodeAll(input)).bulk)
      yield* merge(identity, ref, headers, "/bulk")
      return headers
    }),

    list: Effect.fn("Headers.list")(function* (actor, ref) {
      const identity = yield* access.require(actor, ref, "file:read")
      return (yield* getFile(repository, ref, identity)).headers
    }),

    remove: Effect.fn("Headers.remove")(function* (actor, ref, name) {
      const identity = yield* access.require(actor, ref, "file:write")
      yield* update(identity, ref, (current) => {
        const rest = current.filter((header) => !Header.sameName(header.name, name))
        return rest.length === current.length ? Result.fail(new NotFound({ resource: "header" })) : Result.succeed(rest)
      })
    })
  })
})

export const layer: Layer.Layer<Headers, never, Access | FileRepository | FileWriter> = Layer.effect(Headers, make)
