/**
 * Checks the names of the fields of inputs: a program without types, or with a misspelt field, gets an error instead of a result without
 * that option, such as a list of all files or a share without a password.
 */
import { type Fault, InvalidRequest } from "../../../Errors.ts"
import * as SimilarNames from "../../../inputs/SimilarNames.ts"
import { isRecord } from "./OptionChecks.ts"

type NamesOf<Input> = Input extends unknown ? keyof Input : never

/**
 * For operations whose inputs are checked, all names of fields of the input. Left out are those whose inputs have ids and required fields
 * only, those of mirrors, whose fields depend on the type, and those that read and upload contents, which take least time.
 */
export type InputFields<Operations> = {
  readonly [Name in keyof Operations]?: Operations[Name] extends (input: infer Input) => unknown
    ? { readonly [Field in NamesOf<NonNullable<Input>>]-?: true }
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

export const tenant = { tenantId: true } as const
export const bucket = { ...tenant, bucketId: true } as const
export const file = { ...bucket, fileId: true } as const
export const page = { limit: true, cursor: true } as const
export const conditions = { ifMatch: true, ifNoneMatch: true } as const
export const description = { name: true, path: true, alias: true, metadata: true, headers: true } as const

/** Throws `InvalidRequest` for an input with unknown fields. */
export type CheckFields = (input: unknown) => void

/** Returns the check for an input with these fields. */
export const checkFor = (fields: object): CheckFields => {
  const known = Object.keys(fields)
  const permitted = new Set([...known, ...ids])
  return (input) => {
    if (!isRecord(input)) return
    const unknown = Object.keys(input).filter((name) => !permitted.has(name))
    if (unknown.length === 0) return
    throw InvalidRequest.of(
      unknown.map((name): Fault => ({ pointer: `/${name}`, detail: SimilarNames.unknownDetail(name, known) }))
    )
  }
}
