/**
 * Checks inputs of the Promise API ahead of the services: ids and other values that no schema decodes, and names that resemble an
 * optional field, such as a misspelt one of a program without types, which would give a result without that option. Other unknown names
 * are ignored: TypeScript passes objects with further fields, such as a record where a reference suffices.
 */
import { type Fault, InvalidRequest } from "../../../Errors.ts"
import * as SimilarNames from "../../../inputs/SimilarNames.ts"
import * as UnknownFields from "../../../inputs/UnknownFields.ts"
import * as Is from "../../../inputs/OptionChecks.ts"

const text = Is.when((value) => typeof value === "string", "must be a text")

/** What a value must be that no schema decodes. An id is required, the others may be absent. */
const checks = {
  id: text,
  text,
  count: Is.count(0),
  record: Is.when(Is.isRecord, "must be an object"),
  tags: Is.when(
    (value) => [value].flat().every((tag) => typeof tag === "string"),
    "must be an entity tag with its quotes, several of them, or *"
  )
} satisfies { readonly [kind: string]: Is.Check }

type Kind = keyof typeof checks

type NamesOf<Input> = Input extends unknown ? keyof Input : never

/** The required ids of an input. */
type IdsOf<Input> = {
  [Name in keyof Input]-?: Name extends `${string}Id` ? ({} extends Pick<Input, Name> ? never : Name) : never
}[keyof Input]

/** The kind of each field of an input; true for a field that the service decodes. */
type FieldsOf<Input> = {
  readonly [Name in NamesOf<Input>]-?: Name extends IdsOf<Input> ? "id" : Exclude<Kind, "id"> | true
}

/** For each operation the fields of its input. */
export type InputFields<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (input: infer Input) => unknown
    ? FieldsOf<NonNullable<Input>>
    : never
}

/**
 * The ids of every kind of resource. They are no options: programs pass the same object to several methods, such as a `FileRef` where a
 * `BucketRef` suffices.
 */
const ids = [
  "tenantId",
  "memberId",
  "tokenId",
  "keyId",
  "bucketId",
  "fileId",
  "jobId",
  "uploadId",
  "shareId",
  "mirrorId",
  "webhookId",
  "deliveryId",
  "captionsId"
]

export const tenant = { tenantId: "id" } as const
export const bucket = { ...tenant, bucketId: "id" } as const
export const file = { ...bucket, fileId: "id" } as const
export const page = { limit: true, cursor: "text" } as const
export const conditions = { ifMatch: "tags", ifNoneMatch: "tags" } as const
export const description = { name: true, path: true, alias: true, metadata: true, headers: true } as const
export const content = { content: true, length: "count", sha256: "text", contentType: "text" } as const

/** The fields of one input. */
export interface Fields {
  readonly [name: string]: Kind | true
}

/** Throws `InvalidRequest` for an input with faults. */
export type CheckFields = (input: unknown) => void

/** Returns the check for an input with these fields. */
export const checkFor = (fields: Fields): CheckFields => {
  const names = Object.keys(fields)
  const known = new Set([...names, ...ids])
  const options = names.filter((name) => fields[name] !== "id")
  const checked = Object.entries(fields).flatMap(([name, kind]) => (kind === true ? [] : [{ name, kind }]))
  const judge: UnknownFields.Judge = (name) => {
    const similar = SimilarNames.find(name, options)
    return similar === undefined ? undefined : SimilarNames.similarDetail(similar)
  }
  return (input) => {
    if (!Is.isRecord(input)) throw InvalidRequest.at("", `must be an object with ${names.join(", ")}`)
    const faults: Array<Fault> = []
    for (const { kind, name } of checked) {
      const value = input[name]
      if (value !== undefined || kind === "id") faults.push(...checks[kind](value, `/${name}`))
    }
    UnknownFields.addUnknown(input, known, judge, { faults })
    if (faults.length > 0) throw InvalidRequest.of(faults)
  }
}
