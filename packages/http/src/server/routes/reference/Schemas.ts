/**
 * The JSON schemas of the document as HTML: types as phrases with links, objects as lists of fields.
 */
import * as Html from "./Html.ts"

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

const code = (value: unknown): string => `<code>${Html.escape(JSON.stringify(value))}</code>`

/** Returns the type of a schema as a phrase, such as "array of File". */
export const typeOf = (schema: Schema): string => {
  const { $ref, anyOf, enum: values, format, items, oneOf, type } = schema
  const members = anyOf ?? oneOf
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1)
    return `<a href="#schema-${name}">${name}</a>`
  }
  if (members !== undefined) return [...new Set(members.map(typeOf))].join(" or ")
  if (schema.const !== undefined) return code(schema.const)
  if (values !== undefined) return values.map(code).join(" or ")
  if (items !== undefined) return `array of ${typeOf(items)}`
  return format ?? type ?? "any value"
}

const bounds = ({ default: byDefault, maxItems, maxLength, maximum, minimum }: Schema): string =>
  [
    minimum === undefined ? "" : `at least ${minimum}`,
    maximum === undefined ? "" : `at most ${maximum}`,
    maxLength === undefined ? "" : `at most ${maxLength} characters`,
    maxItems === undefined ? "" : `at most ${maxItems} items`,
    byDefault === undefined ? "" : `default ${code(byDefault)}`
  ]
    .filter((part) => part !== "")
    .map((part) => `, ${part}`)
    .join("")

/** The schema of the object that a schema describes, itself or as the items of an array; undefined for others. */
const objectIn = (schema: Schema): Schema | undefined =>
  schema.properties === undefined ? schema.items && objectIn(schema.items) : schema

/** Returns one field or parameter with its type, its bounds and its description. */
export const field = (name: string, schema: Schema, isRequired: boolean): string => {
  const object = objectIn(schema)
  return `<li><code>${Html.escape(name)}</code> <small>${typeOf(schema)}${bounds(schema)}${
    isRequired ? ", <b>required</b>" : ""
  }</small>${schema.description === undefined ? "" : ` ${Html.fromMarkdown(schema.description)}`}${
    object === undefined ? "" : fields(object)
  }</li>`
}

/** Returns the fields of an object, or the type of any other schema. */
export const fields = (schema: Schema): string => {
  const { properties, required = [] } = schema
  return properties === undefined
    ? `<p>${typeOf(schema)}</p>`
    : `<ul class="fields">${Object.entries(properties)
        .map(([name, one]) => field(name, one, required.includes(name)))
        .join("")}</ul>`
}
