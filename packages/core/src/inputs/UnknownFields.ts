/**
 * Finds the fields of an input that its schema does not define. Decoding ignores them, so that clients may send more than a version of
 * the service knows. But where an optional field limits a right, a misspelt name would give the right without the limit: such schemas
 * are marked, and their unknown fields are refused.
 */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { type Fault, pointerTo } from "./Faults.ts"
import * as SimilarNames from "./SimilarNames.ts"

/** Returns the faults of the unknown fields of an input, at most 20. */
export type FindUnknown = (input: unknown) => ReadonlyArray<Fault>

const maxFaults = 20

/** The most unknown fields of a struct that are compared with the known ones: 1 MiB of them would stop the process for long. */
const maxUnknown = 100

const annotation = "unknownFields"

/** Which unknown fields of a struct are refused: all, or those that resemble an optional field. */
type Refused = "all" | "similar"

/** Marks a struct: its unknown fields are refused. Those of the structs in it are not, unless they are marked too. */
export const refuse = <S extends Schema.Top>(schema: S): S["Rebuild"] => schema.annotate({ [annotation]: "all" })

/**
 * Marks a struct of an operation whose unknown fields have to be ignored. Refused are only those whose names resemble an optional
 * field or a field of a marked struct in it. A misspelt required field needs no mark: it is missing.
 */
export const refuseSimilar = <S extends Schema.Top>(schema: S): S["Rebuild"] =>
  schema.annotate({ [annotation]: "similar" })

const refusedBy = ({ annotations }: SchemaAST.AST): Refused | undefined => {
  const refused = annotations?.[annotation]
  return refused === "all" || refused === "similar" ? refused : undefined
}

type Path = ReadonlyArray<string | number>
type Find = (input: unknown, path: Path, faults: Array<Fault>) => void

/** Returns the names of the fields of the marked structs in a field, such as `scope.permissions`. */
const namesWithin = (name: string, ast: SchemaAST.AST): ReadonlyArray<string> =>
  SchemaAST.isUnion(ast)
    ? ast.types.flatMap((type) => namesWithin(name, type))
    : SchemaAST.isObjects(ast) && refusedBy(ast) !== undefined
      ? ast.propertySignatures.map((field) => `${name}.${String(field.name)}`)
      : []

/** Returns the detail for an unknown field; undefined when it is ignored. */
export type Judge = (name: string) => string | undefined

/** Adds the faults of the fields of an object that are not known. */
export const addUnknown = (
  input: object,
  known: ReadonlySet<PropertyKey>,
  judge: Judge,
  { faults, path = [] }: { readonly faults: Array<Fault>; readonly path?: Path }
): void => {
  const unknown = Object.keys(input).filter((name) => !known.has(name))
  for (const name of unknown.slice(0, maxUnknown)) {
    if (faults.length >= maxFaults) return
    const detail = judge(name)
    if (detail !== undefined) faults.push({ pointer: pointerTo([...path, name]), detail })
  }
}

const judgeOf = (ast: SchemaAST.Objects): Judge | undefined => {
  const refused = refusedBy(ast)
  if (refused === undefined) return undefined
  const fields = ast.propertySignatures.map(({ name, type }) => ({ name: String(name), type }))
  if (refused === "all") {
    const names = fields.map(({ name }) => name)
    return (name) => SimilarNames.unknownDetail(name, names)
  }
  const optional = fields.filter(({ type }) => SchemaAST.isOptional(type))
  const names = optional.map(({ name }) => name)
  const within = new Map(
    optional.flatMap(({ name, type }) =>
      namesWithin(name, type).map((path): [string, string] => [path.slice(name.length + 1), path])
    )
  )
  return (name) => {
    const similar = SimilarNames.find(name, names) ?? within.get(name)
    return similar === undefined ? undefined : SimilarNames.similarDetail(similar)
  }
}

const object = (ast: SchemaAST.Objects): Find | undefined => {
  const known = new Set<PropertyKey>(ast.propertySignatures.map(({ name }) => name))
  const judge = judgeOf(ast)
  const fields = ast.propertySignatures.flatMap(({ name, type }) => {
    const inField = compile(type)
    return inField === undefined || typeof name !== "string" ? [] : [{ name, inField }]
  })
  if (judge === undefined && fields.length === 0) return undefined
  return (input, path, faults) => {
    if (!Predicate.isObject(input)) return
    if (judge !== undefined) addUnknown(input, known, judge, { faults, path })
    for (const { inField, name } of fields) {
      if (Predicate.hasProperty(input, name)) inField(input[name], [...path, name], faults)
    }
  }
}

const array = ({ rest: [item] }: SchemaAST.Arrays): Find | undefined => {
  const inItem = item === undefined ? undefined : compile(item)
  if (inItem === undefined) return undefined
  return (input, path, faults) => {
    if (!Array.isArray(input)) return
    for (const [index, value] of input.entries()) {
      if (faults.length >= maxFaults) return
      inItem(value, [...path, index], faults)
    }
  }
}

/** The alternatives beside a struct are such that no object matches them: null or undefined. Unions of structs are not supported. */
const union = ({ types }: SchemaAST.Union): Find | undefined => {
  const [find, ...others] = types.map(compile).filter(Predicate.isNotUndefined)
  return others.length === 0 ? find : undefined
}

/** Returns undefined for a schema without marked structs. A schema that transforms its input is compiled as that input. */
const compile = (ast: SchemaAST.AST): Find | undefined => {
  const input = ast.encoding?.at(-1)
  if (input !== undefined) return compile(input.to)
  switch (ast._tag) {
    case "Arrays":
      return array(ast)
    case "Objects":
      return object(ast)
    case "Union":
      return union(ast)
    default:
      return undefined
  }
}

/** Returns the function that finds the fields that a schema refuses; undefined for a schema without marked structs. */
export const finder = (schema: Schema.Top): FindUnknown | undefined => {
  const find = compile(schema.ast)
  if (find === undefined) return undefined
  return (input) => {
    const faults: Array<Fault> = []
    find(input, [], faults)
    return faults
  }
}
