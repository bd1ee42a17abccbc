/**
 * All target types, and what follows from their descriptors.
 */
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import type { UnionToIntersection } from "effect/Types"
import { azureBlob } from "./AzureBlobTargetType.ts"
import { gcs } from "./GcsTargetType.ts"
import { s3 } from "./S3TargetType.ts"
import type * as TargetType from "./internal/TargetType.ts"
import { tenantBucket } from "./internal/TenantBucketTargetType.ts"

/** The descriptors. A new type is one line here. The order is that of the API reference. */
const byType = { S3: s3, AZURE_BLOB: azureBlob, GCS: gcs, TENANT_BUCKET: tenantBucket } as const

/** The descriptors as a list. */
export const all = Object.values(byType)

/** By type: where a target is, with the secret that opens it. */
export type Locations = { readonly [Type in keyof typeof byType]: TargetType.Location<(typeof byType)[Type]> }
export type TargetLocation = Locations[keyof Locations]

/** Types of targets outside of this deployment: an adapter opens them. */
export type ExternalType = Exclude<keyof Locations, "TENANT_BUCKET">

/** A location without its secret. */
export type TargetAddress = { [Type in keyof Locations]: TargetType.Address<(typeof byType)[Type]> }[keyof Locations]

/** Where a target is, and the secret that opens it. */
export interface Credentials {
  readonly address: TargetAddress
  readonly secret: Redacted.Redacted
}

/** The names of all secret fields. */
export const secretFields: ReadonlyArray<(typeof all)[number]["secretField"]> = all.map(
  ({ secretField }) => secretField
)

/** The fields that change credentials, of all types. */
export const changes = Object.assign({}, ...all.map((type) => type.changes)) as UnionToIntersection<
  (typeof all)[number]["changes"]
>

/** Returns the names of a type, for people: `S3 (CLOUD_A)`. Callers write the first one, and records have the other. */
export const toName = (wireName: string): string => {
  const [alias] = all.find((type) => type.wireName === wireName)?.aliases ?? []
  return alias === undefined ? wireName : `${alias} (${wireName})`
}

/** The names that the type of an input may have. */
export const inputNames: ReadonlyArray<string> = [
  ...all.map(({ wireName }) => wireName),
  ...all.flatMap(({ aliases }): ReadonlyArray<string> => aliases)
]

/** Returns the descriptor of a type. */
export const ofType = (type: TargetAddress["type"]): (typeof all)[number] => byType[type]

type InputName = (typeof all)[number]["wireName"] | (typeof all)[number]["aliases"][number]

const byInputName = Object.fromEntries(
  all.flatMap((type) => [type.wireName, ...type.aliases].map((name) => [name, type]))
) as Readonly<Record<InputName, (typeof all)[number]>>

/** Returns the descriptor of the type that an input names. */
export const ofInputName = (name: InputName): (typeof all)[number] => byInputName[name]

/** Returns credentials as the location that adapters open. */
export const toLocation = ({ address, secret }: Credentials): TargetLocation =>
  ({ ...address, [byType[address.type].secretField]: secret }) as TargetLocation

/** Returns an address in the form that the database stores: a JSON object whose `type` is the wire name. */
export const encodeAddress = (address: TargetAddress): object => ({ ...address, type: byType[address.type].wireName })

/**
 * Decodes what `encodeAddress` of this or a former release returned; undefined for any other value. Checks the type only: the other
 * fields were checked before they were stored.
 */
export const decodeAddress = (stored: unknown): TargetAddress | undefined => {
  if (!Predicate.isObject(stored)) return undefined
  const found = all.find(({ wireName }) => wireName === stored.type)
  return found === undefined ? undefined : ({ ...stored, type: found.type } as TargetAddress)
}
