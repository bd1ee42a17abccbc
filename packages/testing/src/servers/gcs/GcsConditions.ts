/**
 * Which object a request is about, and the conditions under which.
 */
import * as Refusal from "./GcsRefusal.ts"
import * as State from "./GcsState.ts"

const names = ["ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch"]

export const of = (query: URLSearchParams): State.Conditions =>
  new Map(names.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""] as const] : [])))

/** Generation 0 stands for no object. */
export const check = (conditions: State.Conditions, object: State.StoredObject | undefined): void => {
  const generation = object?.generation ?? "0"
  const metageneration = String(object?.metageneration ?? 0)
  const fails = (name: string, actual: string, isWanted: boolean) => {
    const value = conditions.get(name)
    return value !== undefined && (value === actual) !== isWanted
  }
  if (
    fails("ifGenerationMatch", generation, true) ||
    fails("ifGenerationNotMatch", generation, false) ||
    fails("ifMetagenerationMatch", metageneration, true) ||
    fails("ifMetagenerationNotMatch", metageneration, false)
  ) {
    throw Refusal.conditionNotMet()
  }
}

/** The object that stands, of the generation that is asked for. There are no older ones: buckets have no versions here. */
export const find = (
  state: State.State,
  { bucket, name }: { readonly bucket: string; readonly name: string },
  query: URLSearchParams
): State.StoredObject => {
  const object = State.bucket(state, bucket).get(name)
  const wanted = query.get("generation")
  if (object === undefined || (wanted !== null && wanted !== object.generation)) throw Refusal.noObject(bucket, name)
  check(of(query), object)
  return object
}
