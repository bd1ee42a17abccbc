/**
 * The headers that a file is served with: `holdfast.headers` and `client.headers`.
 */
import * as Effect from "effect/Effect"
import type { FileRef } from "../../files/FileRef.ts"
import { Headers } from "../../headers/Headers.ts"
import type * as Page from "../../Page.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Methods } from "../Operations.ts"
import type { HeaderRecord } from "./internal/FileRecords.ts"
import type { Listing } from "./internal/Shared.ts"

export type { HeaderRecord } from "./internal/FileRecords.ts"

export interface SetHeaderInput extends FileRef, HeaderRecord {}

export interface SetHeadersInput extends FileRef {
  /** The headers to set: all of them, or none. */
  readonly bulk: ReadonlyArray<HeaderRecord>
}

export interface RemoveHeaderInput extends FileRef {
  /** In upper or lower case. */
  readonly name: string
}

export interface HeaderOperations {
  /** Sets a header of a file; replaces one of the same name. */
  set(input: SetHeaderInput): HeaderRecord

  /** Sets several headers of a file: all of them, or none when the call rejects. */
  setAll(input: SetHeadersInput): Listing<HeaderRecord>

  /** Lists the headers of a file. All are on one page. */
  list(input: FileRef): Page.Page<HeaderRecord>

  /** Removes a header of a file. */
  remove(input: RemoveHeaderInput): void
}

export interface HeadersApi extends Methods<HeaderOperations, [actor: ActorHandle]> {}

export const make = (invoke: Invoke): HeadersApi =>
  bind<HeaderOperations>(
    invoke,
    {
      set: (actor, input) => Headers.use((service) => service.set(actor, input, input)),
      setAll: (actor, input) =>
        Effect.map(
          Headers.use((service) => service.setAll(actor, input, input)),
          (items) => ({ items })
        ),
      list: (actor, input) =>
        Effect.map(
          Headers.use((service) => service.list(actor, input)),
          (items) => ({ items, nextCursor: null })
        ),
      remove: (actor, input) => Headers.use((service) => service.remove(actor, input, input.name))
    },
    {
      set: { ...Fields.file, name: true, value: true },
      setAll: { ...Fields.file, bulk: true },
      list: Fields.file,
      remove: { ...Fields.file, name: "text" }
    },
    { list: true }
  )
