/**
 * The preconditions of requests, and the object that a request names.
 */
import * as GcsError from "./GcsError.ts"
import * as State from "./GcsState.ts"

const names = ["ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch"]

/** Returns the preconditions in a query. */
export const parse = (query: URLSearchParams): State.Conditions =>
  new Map(names.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""] as const] : [])))

/** Throws an error response unless the preconditions hold. A missing object has generation 0. */
export const check = (conditions: State.Conditions, object: State.StoredObject | undefined): void => {
  const generation = object?.generation ?? "0"
  const metageneration = String(object?.metageneration ?? 0)
  const fails = (name: string, actual: string, mustMatch: boolean) => {
    const value = conditions.get(name)
    return value !== undefined && (value === actual) !== mustMatch
  }
  if (
    fails("ifGenerationMatch", generation, true) ||
    fails("ifGenerationNotMatch", generation, false) ||
    fails("ifMetagenerationMatch", metageneration, true) ||
    fails("ifMetagenerationNotMatch", metageneration, false)
  ) {
    throw GcsError.conditionNotMet()
  }
}

/**
 * Returns the object that a request names. Throws an error response when it is missing, has another generation, or does
 * not meet the preconditions. Older generations do not exist: the fake's buckets have no versioning.
 */
export const getObject = (
  state: State.State,
  { bucket, name }: { readonly bucket: string; readonly name: string },
  query: URLSearchParams
): State.StoredObject => {
  const object = State.getBucket(state, bucket).get(name)
  const generation = query.get("generation")
  if (object === undefined || (generation !== null && generation !== object.generation)) {
    throw GcsError.noObject(bucket, name)
  }
  check(parse(query), object)
  return object
}
