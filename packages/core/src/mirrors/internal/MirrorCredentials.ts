/**
 * Takes the credentials of a target from the input of a caller.
 */
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../Errors.ts"
import type { CreateMirror, UpdateMirror } from "../MirrorInput.ts"
import * as TargetTypes from "../targets/types/TargetTypes.ts"

type Values = Readonly<Record<string, unknown>>

const pick = (values: Values, names: ReadonlyArray<string>): Values =>
  Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])))

/** Returns the credentials in the input of a new mirror. */
export const fromInput = (input: CreateMirror): TargetTypes.Credentials => {
  const { fields, secretField, type } = TargetTypes.ofInputName(input.type)
  const values: Values = { ...input }
  const names = Object.keys(fields).filter((name) => name !== secretField)
  // The schema of the type has checked each of its fields.
  return { address: { type, ...pick(values, names) }, secret: values[secretField] } as TargetTypes.Credentials
}

/** Names of the fields that change credentials, of all types: first the secrets. */
const changeNames: ReadonlyArray<string> = [
  ...new Set([...TargetTypes.secretFields, ...TargetTypes.all.flatMap(({ changes }) => Object.keys(changes))])
]

/**
 * Returns the credentials after an update, undefined when the update does not change them. `InvalidRequest` for a field of another
 * type, and for a field that may change only together with the secret.
 */
export const fromUpdate = (
  address: TargetTypes.TargetAddress,
  update: UpdateMirror
): Effect.Effect<TargetTypes.Credentials | undefined, InvalidRequest> => {
  const { changes, secretField, wireName } = TargetTypes.ofType(address.type)
  const given = pick({ ...update }, changeNames)
  const foreign = Object.keys(given).find((name) => !Object.hasOwn(changes, name))
  if (foreign !== undefined) {
    return Effect.fail(
      InvalidRequest.at(`/${foreign}`, `is not a field of mirrors of type ${TargetTypes.toName(wireName)}`)
    )
  }
  const { [secretField]: secret, ...others } = given
  if (secret !== undefined) {
    return Effect.succeed({ address: { ...address, ...others }, secret } as TargetTypes.Credentials)
  }
  const [other] = Object.keys(others)
  return other === undefined
    ? Effect.undefined
    : Effect.fail(InvalidRequest.at(`/${secretField}`, `is needed with another ${other}`))
}
