/**
 * What a caller gives to create a mirror or to change one.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../Errors.ts"
import * as Input from "../Input.ts"
import { Label } from "../Text.ts"
import type { MirrorType } from "./Mirror.ts"
import { Document, Endpoint, Field, Secret } from "./MirrorFields.ts"

const common = {
  name: Label,
  bucketId: Schema.optional(Schema.String).annotate({
    description: "The source bucket; the same as in the path where it is given."
  }),
  verify: Schema.optional(Schema.Boolean).annotate({
    description: "Whether the target must answer before the mirror is made; true when absent."
  })
}

const s3 = <const Type extends string>(type: Type) =>
  Schema.Struct({
    ...common,
    type: Schema.Literal(type),
    region: Field,
    bucketName: Field,
    accessKeyId: Field,
    secretAccessKey: Secret,
    endpoint: Schema.optional(Endpoint),
    forcePathStyle: Schema.optional(Schema.Boolean).annotate({
      description: "Whether the bucket is named in the path and not in the host; of use with an endpoint."
    })
  })

const azure = <const Type extends string>(type: Type) =>
  Schema.Struct({
    ...common,
    type: Schema.Literal(type),
    accountName: Field,
    containerName: Field,
    accountKey: Secret,
    endpoint: Schema.optional(Endpoint)
  })

const gcs = <const Type extends string>(type: Type) =>
  Schema.Struct({
    ...common,
    type: Schema.Literal(type),
    projectId: Field,
    bucketName: Field,
    credentials: Document.annotate({ description: "A service account's JSON document, as a text." }),
    endpoint: Schema.optional(Endpoint)
  })

const service = Schema.Struct({
  ...common,
  type: Schema.Literal("SERVICE"),
  serviceTenantId: Field,
  serviceBucketId: Field,
  apiKey: Secret.annotate({ description: "A key of the target tenant that may read and write files." })
})

/** By type. `S3`, `AZURE_BLOB` and `GCS` are other names of the first three. */
export const CreateMirror = Schema.Union([
  s3("CLOUD_A"),
  azure("CLOUD_B"),
  gcs("CLOUD_C"),
  service,
  s3("S3"),
  azure("AZURE_BLOB"),
  gcs("GCS")
]).annotate({ identifier: "CreateMirror" })
export type CreateMirror = typeof CreateMirror.Type

/** The one name of each type. */
export const typeOf = {
  CLOUD_A: "CLOUD_A",
  CLOUD_B: "CLOUD_B",
  CLOUD_C: "CLOUD_C",
  SERVICE: "SERVICE",
  S3: "CLOUD_A",
  AZURE_BLOB: "CLOUD_B",
  GCS: "CLOUD_C"
} as const satisfies Record<CreateMirror["type"], MirrorType>

/** Where a mirror leads cannot be changed, only by what key: for another place another mirror is made. */
export const UpdateMirror = Schema.Struct({
  name: Schema.optional(Label),
  paused: Schema.optional(Schema.Boolean),
  accessKeyId: Schema.optional(Field).annotate({ description: "Only together with its `secretAccessKey`." }),
  secretAccessKey: Schema.optional(Secret),
  accountKey: Schema.optional(Secret),
  credentials: Schema.optional(Document),
  apiKey: Schema.optional(Secret),
  verify: Schema.optional(Schema.Boolean).annotate({
    description: "Whether the target must take a new secret before it replaces the former one; true when absent."
  })
}).annotate({ identifier: "UpdateMirror" })
export type UpdateMirror = typeof UpdateMirror.Type

const decodeType = Input.decoder(Schema.Struct({ type: Schema.Literals(Object.keys(typeOf)) }))

/** A fault of a secret is found inside of what hides it; callers know the field alone. */
const outside = ({ errors, message }: InvalidRequest) =>
  new InvalidRequest({
    message,
    errors: errors.map(({ detail, pointer }) => ({ detail, pointer: pointer.replace(/\/value$/, "") }))
  })

const decoder = <A>(schema: Schema.Codec<A, A>) => {
  const decode = Input.decoder(schema)
  return (input: unknown) => Effect.mapError(decode(input), outside)
}

const decodeFields = decoder(Schema.toType(CreateMirror))

/** Checks the type first, so that faults are told of the fields of that type. */
export const decodeCreate = (input: unknown, bucketId: string): Effect.Effect<CreateMirror, InvalidRequest> =>
  decodeType(input).pipe(
    Effect.andThen(decodeFields(input)),
    Effect.filterOrFail(
      (decoded) => decoded.bucketId === undefined || decoded.bucketId === bucketId,
      () => InvalidRequest.at("/bucketId", "must be the bucket of the path")
    )
  )

export const decodeUpdate = decoder(Schema.toType(UpdateMirror))
