/**
 * Adjusts the JSON Schemas that Effect generates, so that they describe requests and responses exactly.
 */
import { secretFields } from "@holdfast/core/mirrors/targets/types/TargetTypes"
import * as Predicate from "effect/Predicate"

interface JsonObject {
  readonly [key: string]: unknown
}

const isObject = (value: unknown): value is JsonObject => Predicate.isObject(value)

const isNull = (schema: unknown): boolean => isObject(schema) && schema["type"] === "null"

/** Replaces a union of one alternative by that alternative. The keywords of the union are kept. */
const withoutLoneAnyOf = (schema: JsonObject): JsonObject => {
  const { anyOf, ...rest } = schema
  const [only, ...more] = Array.isArray(anyOf) ? anyOf : []
  return isObject(only) && more.length === 0 ? { ...only, ...rest } : schema
}

/**
 * Removes the last alternative, null, from an optional field. Effect encodes an absent field as null; in this API an optional
 * field is left out, and null is a wrong type.
 */
const withoutAbsence = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema
  const alternatives: ReadonlyArray<unknown> = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : []
  return isNull(alternatives.at(-1)) ? withoutLoneAnyOf({ ...schema, anyOf: alternatives.slice(0, -1) }) : schema
}

const isTime = (name: string): boolean => /^since$|[a-z](?:At|Since)$/.test(name)

/** The names of the fields with secrets: they appear in requests and never in responses. */
const secretNames: ReadonlySet<string> = new Set(secretFields)

const asSecret = (schema: unknown): unknown =>
  isObject(schema) ? { ...schema, format: "password", writeOnly: true } : schema

/** Adds the format of a time to a text, or to the texts of a union. */
const asTime = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema
  if (Array.isArray(schema["anyOf"])) return { ...schema, anyOf: schema["anyOf"].map(asTime) }
  return schema["type"] === "string" ? { ...schema, format: "date-time" } : schema
}

const properties = (schema: JsonObject): JsonObject => {
  const { properties: fields, required } = schema
  if (!isObject(fields)) return schema
  const needed: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
  const entries = Object.entries(fields).map(([name, field]) => {
    const present = needed.includes(name) ? field : withoutAbsence(field)
    return [name, isTime(name) ? asTime(present) : secretNames.has(name) ? asSecret(present) : present]
  })
  return { ...schema, properties: Object.fromEntries(entries) }
}

/**
 * Whether to drop a keyword: `additionalProperties: false` is wrong, because unknown fields are ignored; `x-effect-stream` is
 * Effect's own; the bounds of safe integers are obvious.
 */
const isDropped = (key: string, value: unknown): boolean =>
  (key === "additionalProperties" && value === false) ||
  key === "x-effect-stream" ||
  ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)

/** Normalizes a document, or a part of one. */
export const normalize = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(normalize)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, part]) => !isDropped(key, part))
  const parts = Object.fromEntries(kept.map(([key, part]) => [key, normalize(part)]))
  return withoutLoneAnyOf(properties(parts))
}
