/**
 * Unions of records that are distinguished by their field `type`: each member becomes a schema of its own, and the union gets
 * the `discriminator` that code generators use.
 */
import type { JsonSchema } from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"

type Schemas = Readonly<Record<string, JsonSchema>>

const discriminator = "type"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => Predicate.isObject(value)

/** The value of a member's `type`; undefined for a schema without exactly one value. */
const typeOf = (member: unknown): string | undefined => {
  const properties = isObject(member) ? member["properties"] : undefined
  const field = isObject(properties) ? properties[discriminator] : undefined
  const types: unknown = isObject(field) ? field["enum"] : undefined
  const [only, ...more]: ReadonlyArray<unknown> = Array.isArray(types) ? types : []
  return typeof only === "string" && more.length === 0 ? only : undefined
}

const split = (name: string, { anyOf, ...rest }: JsonSchema): Schemas => {
  const members: ReadonlyArray<unknown> = Array.isArray(anyOf) ? anyOf : []
  const named = members.flatMap((member) => {
    const type = typeOf(member)
    return type === undefined || !isObject(member) ? [] : [{ type, member, name: `${name}_${type}` }]
  })
  if (named.length === 0 || named.length < members.length)
    return { [name]: anyOf === undefined ? rest : { ...rest, anyOf } }
  const refOf = (one: { readonly name: string }) => `#/components/schemas/${one.name}`
  const union = {
    ...rest,
    oneOf: named.map((one) => ({ $ref: refOf(one) })),
    discriminator: {
      propertyName: discriminator,
      mapping: Object.fromEntries(named.map((one) => [one.type, refOf(one)]))
    }
  }
  return { [name]: union, ...Object.fromEntries(named.map((one) => [one.name, one.member])) }
}

/** The schemas of a document, with its discriminated unions split into their members. */
export const splitUnions = (schemas: Schemas): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schemas).flatMap(([name, schema]) => Object.entries(split(name, schema))))
