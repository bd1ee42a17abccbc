/**
 * The parameters of the document: their types, defaults and examples, which the generated schemas lack.
 */
import type { OpenAPISpecParameter } from "effect/http-api/OpenApi"
import { canonicalName } from "./ResponseHeaders.ts"

const id = (prefix: string): object => ({ examples: [`${prefix}_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e`] })

/** By place and name. These keywords are added to the generated schema, and replace those of the same name. */
const keywords: { readonly [parameter: string]: object } = {
  "path tenantId": id("ten"),
  "path memberId": id("mem"),
  "path tokenId": id("tok"),
  "path bucketId": id("bkt"),
  "path mirrorId": id("mir"),
  "path fileId": { examples: ["fil_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e", "@logo"] },
  "query limit": { type: "integer", minimum: 1, maximum: 1000, default: 100 },
  "query path": { default: "/" },
  "query recursive": { type: "boolean", default: false },
  "query verify": { type: "boolean", default: true },
  "query force": { type: "boolean", default: false }
}

/** Keywords that describe the text form of booleans and numbers. They are dropped where a type is given. */
const textKeywords = new Set(["anyOf", "enum", "pattern"])

/** The parameter with its keywords, its description beside the schema, and its header name in canonical case. */
export const describe = ({ name, schema, ...rest }: OpenAPISpecParameter): OpenAPISpecParameter => {
  const more = keywords[`${rest.in} ${name}`] ?? {}
  const entries = Object.entries(schema).filter(([key]) => !("type" in more && textKeywords.has(key)))
  const { description, ...described } = Object.fromEntries<unknown>([...entries, ...Object.entries(more)])
  return {
    ...rest,
    name: rest.in === "header" ? canonicalName(name) : name,
    ...(typeof description === "string" ? { description } : undefined),
    schema: described
  }
}
