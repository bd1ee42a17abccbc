/**
 * What an upload link leaves open to its holder: the content, and the name of the file if the link has none.
 */
import { type Fault, InvalidRequest } from "@holdfast/core/Errors"
import type { UploadTerms } from "@holdfast/core/files/links/UploadLink"
import type { File } from "@holdfast/core/files/File"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

/** The fields of a description that a link determines, or does not permit. */
const fixedFields = ["path", "alias", "metadata", "headers", "onConflict"] as const

/**
 * Returns the description of a file as a link determines it. Fails for a field with another value, so that no client believes to have
 * set it.
 */
export const applyTo = (terms: UploadTerms, description: unknown): Effect.Effect<unknown, InvalidRequest> => {
  if (!Predicate.isObject(description)) return Effect.succeed(description)
  const { name, onConflict, path } = terms
  const fixed: { readonly [field: string]: unknown } = { path, onConflict, ...(name === null ? undefined : { name }) }
  const faults = [...fixedFields, ...(name === null ? [] : ["name"])].flatMap((field): ReadonlyArray<Fault> => {
    const given: unknown = Reflect.get(description, field)
    return given === undefined || given === fixed[field]
      ? []
      : [{ pointer: `/${field}`, detail: "must be absent: the upload link determines it" }]
  })
  if (faults.length > 0) return Effect.fail(InvalidRequest.of(faults))
  return Effect.succeed({ path, ...("name" in description ? { name: description.name } : undefined), ...fixed })
}

/** Returns the record without what the holder of a link may not read: the file may have existed before. */
export const withoutDescription = (file: File): File => ({ ...file, alias: null, metadata: {}, headers: [] })
