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

/** The path of a file or directory. */
export const path: Check = when(
  (value) => typeof value === "string" && value !== "" && !value.includes("\0"),
  "must be a path that is not empty"
)

/** One of these texts. */
export const choice = (...values: ReadonlyArray<string>): Check =>
  when((value) => typeof value === "string" && values.includes(value), `must be one of ${values.join(", ")}`)

export const boolean: Check = when((value) => typeof value === "boolean", "must be true or false")

/** The properties of an object that makes a duration. */
const units = ["weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"]

/** Whether a value says how long it is. Effect takes NaN, and objects of any other kind, for zero. */
const isLength = (value: unknown): boolean =>
  isRecord(value)
    ? Duration.isDuration(value) || Array.isArray(value) || units.some((unit) => Object.hasOwn(value, unit))
    : !Number.isNaN(value)

const durationThat = (isValid: (duration: Duration.Duration) => boolean, extent: string): Check =>
  when(
    (value) => isLength(value) && Option.exists(Duration.fromInput(value as Duration.Input), isValid),
    `must be a duration${extent}, such as "5 minutes", or a number of milliseconds`
  )

/** A duration of Effect, or what makes one: milliseconds, or a text such as "5 minutes". */
export const duration: Check = durationThat((found) => Duration.isZero(found) || Duration.isPositive(found), "")

/** A duration that is not zero. */
export const timeout: Check = durationThat(Duration.isPositive, " of more than 0")

/** A duration of at most so many days. */
export const durationUpTo = (days: number): Check =>
  durationThat(
    (found) => !Duration.isNegative(found) && Duration.isLessThanOrEqualTo(found, Duration.days(days)),
    ` of at most ${days} days`
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

type Checks = { readonly [name: string]: Check }

const properties =
  (
    checks: Checks,
    required: { readonly [name: string]: string },
    unknown: (name: string) => string | undefined
  ): Check =>
  (value, pointer) => {
    if (!isRecord(value)) return [{ pointer, detail: `must be an object, with ${Object.keys(checks).join(", ")}` }]
    const missing = Object.entries(required)
      // Inherited properties are not copied with the others.
      .filter(([name]) => !Object.hasOwn(value, name) || value[name] === undefined)
      .map(([name, detail]) => ({ pointer: `${pointer}/${name}`, detail: `is required: ${detail}` }))
    const faults = Object.entries(value).flatMap(([name, property]) => {
      const at = `${pointer}/${name}`
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      if (check !== undefined) return property === undefined ? [] : check(property, at)
      const detail = unknown(name)
      return detail === undefined ? [] : [{ pointer: at, detail }]
    })
    return [...missing, ...faults]
  }

/**
 * An object whose properties pass the checks of their names, and that has no other properties. An absent or undefined property is
 * valid unless it is required.
 *
 * @param required What each required property must be.
 */
export const record = (checks: Checks, required: { readonly [name: string]: string } = {}): Check => {
  const known = Object.keys(checks)
  return properties(checks, required, (name) => SimilarNames.unknownDetail(name, known))
}

/** The same for an object of another library, which may have other properties. */
export const partOf = (checks: Checks, required: { readonly [name: string]: string } = {}): Check =>
  properties(checks, required, () => undefined)
