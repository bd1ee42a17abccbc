/**
 * Checks the description of a new file and makes the file's record.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { InvalidRequest } from "../Errors.ts"
import { FolderPath } from "../access/FolderPath.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Content, CreateFile, type StoredFile } from "./File.ts"
import * as Header from "./Header.ts"

/**
 * What an upload does when the bucket has a file at the place of the new one: fail, replace the content of that file, or store the new
 * file under another name.
 */
export const OnConflict = Schema.Literals(["fail", "replace", "rename"]).annotate({
  description:
    "What happens if the bucket has a file with this path and name: `fail`, the default, answers 409; `replace` replaces its content, " +
    "and those of alias, metadata and headers that are given; `rename` adds random characters to the name of the new file."
})
export type OnConflict = typeof OnConflict.Type

/** Decodes what an upload does on a conflict. */
export const decodeOnConflict = (onConflict: unknown): Effect.Effect<OnConflict, InvalidRequest> =>
  Schema.is(OnConflict)(onConflict)
    ? Effect.succeed(onConflict)
    : Effect.fail(InvalidRequest.at("/onConflict", "must be fail, replace or rename"))

const markedFault = (path: string): string | undefined =>
  path === "/" ? "must not be the root, which has no marker" : undefined

const decodeFields = Input.decoder(CreateFile)

const checkHeaders = (description: CreateFile): Effect.Effect<CreateFile, InvalidRequest> => {
  const fault = Header.excess(Header.merge([], description.headers ?? []))
  return fault === undefined ? Effect.succeed(description) : Effect.fail(InvalidRequest.at("/headers", fault))
}

/** Decodes a description. Checks each field, and the number and size of all headers together. */
export const decode = (input: unknown): Effect.Effect<CreateFile, InvalidRequest> =>
  Effect.flatMap(decodeFields(input), checkHeaders)

const decodeMarkerFields = Input.decoder(
  Schema.Struct({
    ...CreateFile.fields,
    path: FolderPath.check(Schema.makeFilter(markedFault)),
    name: Schema.Literal("")
  })
)

/** As `decode`, also for the marker of a folder: its name is empty. */
export const decodeWithMarker = (input: unknown): Effect.Effect<CreateFile, InvalidRequest> =>
  Predicate.isObject(input) && "name" in input && input.name === ""
    ? Effect.flatMap(decodeMarkerFields(input), checkHeaders)
    : decode(input)

/** Makes the record of a new file. */
export const make = Effect.fnUntraced(function* (
  description: CreateFile,
  content: Content | null
): Effect.fn.Return<StoredFile, never, SecureRandom> {
  const now = yield* DateTime.now
  return {
    id: yield* Ids.make("fil"),
    name: description.name,
    path: description.path ?? "/",
    alias: description.alias ?? null,
    version: content === null ? 0 : 1,
    metadata: description.metadata ?? {},
    headers: Header.merge([], description.headers ?? []),
    createdAt: now,
    updatedAt: now,
    content,
    damaged: false
  }
})
