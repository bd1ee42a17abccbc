/**
 * What the document says of parameters beyond their being texts.
 */
import type { OpenAPISpecParameter } from "effect/http-api/OpenApi"
import { canonicalName } from "./ResponseHeaders.ts"

const id = (prefix: string): object => ({ examples: [`${prefix}_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e`] })

/** By place and name; whatever is said here comes on top. */
const known: { readonly [parameter: string]: object } = {
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

/** What the texts of booleans and numbers look like is known by their types. */
const textual = new Set(["anyOf", "enum", "pattern"])

export const describe = ({ name, schema, ...rest }: OpenAPISpecParameter): OpenAPISpecParameter => {
  const more = known[`${rest.in} ${name}`] ?? {}
  const entries = Object.entries(schema).filter(([key]) => !("type" in more && textual.has(key)))
  const { description, ...described } = Object.fromEntries<unknown>([...entries, ...Object.entries(more)])
  return {
    ...rest,
    name: rest.in === "header" ? canonicalName(name) : name,
    ...(typeof description === "string" ? { description } : undefined),
    schema: described
  }
}
