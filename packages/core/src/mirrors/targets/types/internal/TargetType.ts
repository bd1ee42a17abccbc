/**
 * The descriptor of a target type: what a caller gives to create a mirror of the type, what its records show, and which field is
 * the secret. `TargetTypes` lists all descriptors.
 */
import * as Schema from "effect/Schema"
import * as CommonFields from "../CommonFields.ts"

type Fields = Schema.Struct.Fields

interface Definition<
  Type extends string,
  WireName extends string,
  Alias extends string,
  F extends Fields,
  SecretField extends keyof F & string,
  Changes extends Fields,
  RecordFields extends Fields
> {
  /** The name within the code: `S3`. */
  readonly type: Type
  /** The name in records and in the database: `CLOUD_A`. */
  readonly wireName: WireName
  /** Names that an input may have instead of `wireName`. */
  readonly aliases: ReadonlyArray<Alias>
  /** The adapter that opens targets of the type, for people; absent where core opens them itself. */
  readonly adapter?: string | undefined
  /** The fields of an input: where the target is, the account that opens it, and the secret of that account. */
  readonly fields: F
  /** The one field of `fields` that is sealed at rest and never returned. */
  readonly secretField: SecretField
  /** The secret, and the fields that may change together with it: fields of the input of an update. */
  readonly changes: Changes
  /** The fields of a record: those of `fields` without the secret. */
  readonly recordFields: RecordFields
  /** The values that a record shows for fields that the input did not have. */
  readonly recordDefaults: Partial<Schema.Struct.Type<RecordFields>>
}

/** Completes a definition with the schema of the record, and with those of the input under each name that it may have. */
export const make = <
  const Type extends string,
  const WireName extends string,
  F extends Fields,
  const SecretField extends keyof F & string,
  Changes extends Fields,
  RecordFields extends Fields,
  const Alias extends string = never
>(
  definition: Definition<Type, WireName, Alias, F, SecretField, Changes, RecordFields>
) => {
  const input = <const Name extends string>(name: Name) =>
    Schema.Struct({ ...CommonFields.input, type: Schema.Literal(name), ...definition.fields })
  return {
    ...definition,
    input: input(definition.wireName),
    aliasInputs: definition.aliases.map(input),
    record: Schema.Struct({
      ...CommonFields.record,
      type: Schema.Literal(definition.wireName),
      ...definition.recordFields
    })
  }
}

/** The parts of a descriptor that determine the types of locations. */
interface Described {
  readonly type: string
  readonly fields: Fields
  readonly secretField: string
}

/** Where a target of the type is, with the secret that opens it. */
export type Location<D extends Described> = { readonly type: D["type"] } & Schema.Struct.Type<D["fields"]>

/** A location without its secret. */
export type Address<D extends Described> = Omit<Location<D>, D["secretField"]>
