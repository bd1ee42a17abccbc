/**
 * The inputs that create and update a mirror.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../Errors.ts"
import * as Input from "../Input.ts"
import { Label } from "../Text.ts"
import * as TargetTypes from "./targets/types/TargetTypes.ts"

/** By type. `S3`, `AZURE_BLOB` and `GCS` are other names of `CLOUD_A`, `CLOUD_B` and `CLOUD_C`. */
export const CreateMirror = Schema.Union([
  ...TargetTypes.all.map(({ input }) => input),
  ...TargetTypes.all.flatMap((type): ReadonlyArray<(typeof type.aliasInputs)[number]> => type.aliasInputs)
]).annotate({ identifier: "CreateMirror" })
export type CreateMirror = typeof CreateMirror.Type

/**
 * Changes a mirror. The address of its target cannot change, only the credentials: a copy at another address is another mirror.
 * The fields of all types are listed, since the type of the mirror is known only once it is found.
 */
export const UpdateMirror = Schema.Struct({
  name: Schema.optional(Label),
  paused: Schema.optional(Schema.Boolean),
  ...TargetTypes.changes,
  verify: Schema.optional(Schema.Boolean).annotate({
    description:
      "Whether the target is checked with a new secret before that replaces the former one. True when absent."
  })
}).annotate({ identifier: "UpdateMirror" })
export type UpdateMirror = typeof UpdateMirror.Type

const decodeType = Input.decoder(Schema.Struct({ type: Schema.Literals(TargetTypes.inputNames) }))

const redacted = /\/value$/

/** The decoder drops the message of a fault inside of a `Redacted`, since a message may contain the value. */
const invalidSecret = "must not be empty, too long, or contain characters that the target does not accept"

/** The decoder finds the fault of a secret inside of its `Redacted`. Callers know the field only. */
const withoutRedacted = ({ errors }: InvalidRequest) =>
  InvalidRequest.of(
    errors.map(({ detail, pointer }) =>
      redacted.test(pointer) ? { detail: invalidSecret, pointer: pointer.replace(redacted, "") } : { detail, pointer }
    )
  )

const decoder = <A>(schema: Schema.Codec<A, A>) => {
  const decode = Input.decoder(schema)
  return (input: unknown) => Effect.mapError(decode(input), withoutRedacted)
}

const decodeFields = decoder(Schema.toType(CreateMirror))

/** Checks the type first, so that the faults are those of the fields of that type. */
export const decodeCreate = (input: unknown, bucketId: string): Effect.Effect<CreateMirror, InvalidRequest> =>
  decodeType(input).pipe(
    Effect.andThen(decodeFields(input)),
    Effect.filterOrFail(
      (decoded) => decoded.bucketId === undefined || decoded.bucketId === bucketId,
      () => InvalidRequest.at("/bucketId", "must be the bucket of the path")
    )
  )

export const decodeUpdate = decoder(Schema.toType(UpdateMirror))
