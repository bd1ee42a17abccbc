/**
 * Finds the arrays and records of an input that have too many items, before the input is decoded. Decoding reports the faults
 * of every item, and takes some 10 µs for each: 1 MiB of empty objects would stop the process for seconds.
 */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { Fault } from "./Errors.ts"

/** Returns the first fault of an input; undefined when every array and record is within its bound. */
export type FindExcess = (input: unknown) => Fault | undefined

/** The bounds of a schema. */
export interface Finder {
  readonly findExcess: FindExcess
  /** The smallest bound: an input with at most so many values cannot exceed any. */
  readonly least: number
}

type Find = (input: unknown, pointer: string) => Fault | undefined

type Bound = "maxLength" | "maxProperties"

/** The bound that a check of a schema declares: `Schema.isMaxLength` or `Schema.isMaxProperties`. */
const boundOf = (ast: SchemaAST.AST, name: Bound): number =>
  Math.min(
    ...(ast.checks ?? []).map((check) => {
      const payload: unknown = check.annotations?.representation?.payload
      const bound = Predicate.hasProperty(payload, name) ? payload[name] : undefined
      return typeof bound === "number" ? bound : Number.POSITIVE_INFINITY
    })
  )

/** Adds the bounds that it finds to a list. */
type Bounds = Array<number>

const array = (ast: SchemaAST.Arrays, bounds: Bounds): Find => {
  const most = boundOf(ast, "maxLength")
  bounds.push(most)
  const [rest] = ast.rest
  const inItem = rest === undefined ? undefined : compile(rest, bounds)
  return (input, pointer) => {
    if (!Array.isArray(input)) return undefined
    if (input.length > most) return { pointer, detail: `must have at most ${most} items` }
    if (inItem === undefined) return undefined
    for (const [index, item] of input.entries()) {
      const fault = inItem(item, `${pointer}/${index}`)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

const object = (ast: SchemaAST.Objects, bounds: Bounds): Find | undefined => {
  const most = boundOf(ast, "maxProperties")
  bounds.push(most)
  const isBounded = most !== Number.POSITIVE_INFINITY
  const fields = ast.propertySignatures.flatMap(({ name, type }) => {
    const inField = compile(type, bounds)
    return inField === undefined || typeof name !== "string" ? [] : [{ name, inField }]
  })
  if (!isBounded && fields.length === 0) return undefined
  return (input, pointer) => {
    if (!Predicate.isObject(input)) return undefined
    if (isBounded && Object.keys(input).length > most) {
      return { pointer, detail: `must have at most ${most} members` }
    }
    for (const { inField, name } of fields) {
      const fault = Predicate.hasProperty(input, name) ? inField(input[name], `${pointer}/${name}`) : undefined
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

const union = (ast: SchemaAST.Union, bounds: Bounds): Find | undefined => {
  const alternatives = ast.types.map((type) => compile(type, bounds)).filter(Predicate.isNotUndefined)
  if (alternatives.length === 0) return undefined
  return (input, pointer) => {
    for (const find of alternatives) {
      const fault = find(input, pointer)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** Returns undefined for a schema without arrays and records. A schema that transforms its input is compiled as that input. */
const compile = (ast: SchemaAST.AST, bounds: Bounds): Find | undefined => {
  const input = ast.encoding?.at(-1)
  if (input !== undefined) return compile(input.to, bounds)
  switch (ast._tag) {
    case "Arrays":
      return array(ast, bounds)
    case "Objects":
      return object(ast, bounds)
    case "Union":
      return union(ast, bounds)
    default:
      return undefined
  }
}

/** Returns the function that compares inputs with the bounds of a schema; undefined for a schema without arrays and records. */
export const finder = (schema: Schema.Top): Finder | undefined => {
  const bounds: Bounds = []
  const find = compile(schema.ast, bounds)
  return find === undefined ? undefined : { findExcess: (input) => find(input, ""), least: Math.min(...bounds) }
}
