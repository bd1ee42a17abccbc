/**
 * Checks of values that a program without types passes as options.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { Fault } from "./Faults.ts"
import * as SimilarNames from "./SimilarNames.ts"

/** Returns the faults of a value, with pointers that begin with the given one. */
export type Check = (value: unknown, pointer: string) => ReadonlyArray<Fault>

export const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null

/** Makes a check of one condition. `detail` completes a sentence that begins with the name of the option. */
export const when =
  (isValid: (value: unknown) => boolean, detail: string): Check =>
  (value, pointer) =>
    isValid(value) ? [] : [{ pointer, detail }]

/** A whole number of at least `least`. */
export const count = (least: number): Check =>
  when((value) => Number.isSafeInteger(value) && Number(value) >= least, `must be a whole number of at least ${least}`)

/** A text that is not empty: an empty one is mostly a variable of the environment that is not set. */
export const text: Check = when(
  (value) => typeof value === "string" && value !== "",
  "must be a text that is not empty"
)

/** One of these texts. */
export const choice = (...values: ReadonlyArray<string>): Check =>
  when((value) => typeof value === "string" && values.includes(value), `must be one of ${values.join(", ")}`)

export const boolean: Check = when((value) => typeof value === "boolean", "must be true or false")

/** A duration of Effect, or what makes one: milliseconds, or a text such as "5 minutes". */
export const duration: Check = when(
  (value) => Option.isSome(Duration.fromInput(value as Duration.Input)),
  'must be a duration, such as "5 minutes", or a number of milliseconds'
)

/** A duration of at most so many days. */
export const durationUpTo = (days: number): Check =>
  when(
    (value) =>
      Option.exists(Duration.fromInput(value as Duration.Input), (found) =>
        Duration.isLessThanOrEqualTo(found, Duration.days(days))
      ),
    `must be a duration of at most ${days} days, such as "5 minutes", or a number of milliseconds`
  )

export const bytes = (isLength: (length: number) => boolean, detail: string): Check =>
  when((value) => value instanceof Uint8Array && isLength(value.length), detail)

export const list =
  (item: Check): Check =>
  (value, pointer) =>
    Array.isArray(value)
      ? value.flatMap((element, index) => item(element, `${pointer}/${index}`))
      : [{ pointer, detail: "must be an array" }]

/** A value that passes another check, or is one of these. */
export const oneOf =
  (values: ReadonlyArray<unknown>, other: Check): Check =>
  (value, pointer) =>
    values.includes(value) ? [] : other(value, pointer)

/**
 * An object whose properties pass the checks of their names, and that has no other properties. An absent or undefined property is
 * valid unless it is required.
 *
 * @param required What each required property must be.
 */
export const record = (
  checks: { readonly [name: string]: Check },
  required: { readonly [name: string]: string } = {}
): Check => {
  const known = Object.keys(checks)
  return (value, pointer) => {
    if (!isRecord(value)) return [{ pointer, detail: `must be an object, with ${known.join(", ")}` }]
    const missing = Object.entries(required)
      .filter(([name]) => value[name] === undefined)
      .map(([name, detail]) => ({ pointer: `${pointer}/${name}`, detail: `is required: ${detail}` }))
    const faults = Object.entries(value).flatMap(([name, property]) => {
      const at = `${pointer}/${name}`
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      if (check === undefined) return [{ pointer: at, detail: SimilarNames.unknownDetail(name, known) }]
      return property === undefined ? [] : check(property, at)
    })
    return [...missing, ...faults]
  }
}
