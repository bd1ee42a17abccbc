/**
 * Writing, describing and finding objects of a mirror.
 */
import type { MirrorObject, TargetObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type { ObjectDescription } from "@holdfast/core/mirrors/targets/ObjectDescription"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Connection from "./Connection.ts"
import * as GcsErrors from "./GcsErrors.ts"
import * as GcsFailure from "./GcsFailure.ts"
import * as Objects from "./Objects.ts"
import type * as Resource from "./Resource.ts"
import * as Upload from "./Upload.ts"

type Failing<A> = Effect.Effect<A, GcsFailure.GcsFailure>

/** The generation changes with the bytes, the metageneration with the description. */
const entry = ({ generation, metageneration, name, size }: Resource.Stored): TargetObject => ({
  name,
  size,
  tag: `${generation}.${metageneration}`
})

const receipt = (stored: Resource.Stored): WriteReceipt => ({ tag: entry(stored).tag })

const fields = ["cacheControl", "contentDisposition", "contentEncoding", "contentLanguage"] as const

/** A description as the API has it, without what it leaves out. */
const resource = (description: ObjectDescription): Resource.Description => ({
  contentType: description.contentType,
  metadata: description.metadata,
  ...Object.fromEntries(
    fields.flatMap((field) => (description[field] === undefined ? [] : [[field, description[field]]]))
  )
})

/** The PATCH that leaves nothing of another description: what is absent is taken away by name. */
const replacement = (description: ObjectDescription, before: Resource.Stored): Resource.Description => ({
  contentType: description.contentType,
  ...Object.fromEntries(fields.map((field) => [field, description[field] ?? null])),
  metadata: {
    ...Object.fromEntries(Object.keys(before.metadata).map((name) => [name, null])),
    ...description.metadata
  }
})

const damaged = new GcsFailure.GcsFailure({
  kind: "Damaged",
  detail: "The bytes that were read are not those of the file."
})

/** Writes an object, if the bytes are the ones that were announced. */
export const write = <E, R>(
  connection: Connection.Connection,
  chunkBytes: number,
  { description, name, sha256, size }: MirrorObject,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<WriteReceipt, MirrorTargetError | E, R> => {
  const toError = GcsErrors.toTargetError("write")
  const settings: Upload.Settings<MirrorTargetError> = {
    chunkBytes,
    expectedBytes: size,
    resource: resource(description),
    toError,
    inspect: (digests) =>
      digests.size === size && digests.sha256 === sha256 ? Effect.void : Effect.fail(toError(damaged)),
    // It stands as a whole, and what it replaced would not come back.
    isUndone: false
  }
  return Effect.map(Upload.put(connection, settings, name, content), ({ stored }) => receipt(stored))
}

/** How often somebody else may come in between. */
const changes = 5

/** Gives an object another description, as a whole. */
export const describe = (
  connection: Connection.Connection,
  { description, name }: MirrorObject
): Failing<WriteReceipt> =>
  Effect.gen(function* () {
    const before = yield* Objects.get(connection, name)
    const conditions = { ifGenerationMatch: before.generation, ifMetagenerationMatch: before.metageneration }
    return receipt(yield* Objects.patch(connection, name, replacement(description, before), conditions))
    // A PATCH whose answer was lost has changed it as well.
  }).pipe(Effect.retry({ while: ({ kind }) => kind === "Changed", times: changes }))

export const stat = (connection: Connection.Connection, name: string): Failing<Option.Option<TargetObject>> =>
  Objects.get(connection, name).pipe(
    Effect.map((stored) => Option.some(entry(stored))),
    Effect.catchIf(
      ({ kind }) => kind === "NoObject",
      () => Effect.succeedNone
    )
  )

/** A page of up to 1,000 at a time. */
export const list = (connection: Connection.Connection): Stream.Stream<TargetObject, GcsFailure.GcsFailure> =>
  Stream.paginate<string | undefined, TargetObject, GcsFailure.GcsFailure>(undefined, (token) =>
    Effect.map(Objects.page(connection, "", token), ({ next, objects }) => [
      objects.map(entry),
      Option.fromNullishOr(next)
    ])
  )
