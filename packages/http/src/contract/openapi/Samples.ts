/**
 * Commands with curl for the operations of the document, to paste into a shell. They use the variables `API`, the address with
 * `/api/v1`, `KEY`, and one for each parameter of the path: `TENANT` for `tenantId`.
 */
import type { OpenAPISpecOperation } from "effect/http-api/OpenApi"

/** Queries without which an operation does not do what its sample is for. */
const queries: { readonly [operationId: string]: string } = {
  "contents.put": "name=cat.jpg",
  "files.exists": "name=cat.jpg"
}

/** The variable of the ids with this prefix. */
const variables: { readonly [prefix: string]: string } = {
  bkt: "BUCKET",
  fil: "FILE",
  mem: "MEMBER",
  ten: "TENANT"
}

/** Returns the variable for a parameter of the path, such as `TENANT` for `tenantId`. */
export const variableOf = (parameter: string): string => parameter.replace(/Id$/, "").toUpperCase()

/** Returns a text in single quotes, in which ids are variables. */
const quote = (text: string): string =>
  `'${text
    .replaceAll("'", String.raw`'\''`)
    .replaceAll(/\b([a-z]{3})_[\da-f]{8}-[\da-f-]{27}\b/g, (id, prefix: string) => {
      const variable = variables[prefix]
      return variable === undefined ? id : `'$${variable}'`
    })}'`

const bodyOf = ({ requestBody }: OpenAPISpecOperation): ReadonlyArray<string> => {
  const {
    "application/json": json,
    "application/octet-stream": bytes,
    "multipart/form-data": form
  } = requestBody?.content ?? {}
  if (bytes !== undefined) return ["-H 'Content-Type: image/jpeg'", "--data-binary @cat.jpg"]
  if (form !== undefined) return [`-F 'body={"path":"/2026/summer/"}'`, "-F 'file=@cat.jpg'"]
  const example: unknown = json !== undefined && "example" in json ? json.example : undefined
  return example === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(example))}`]
}

/** Returns the command for an operation. `path` begins with `/api/v1`. */
export const curl = (operation: OpenAPISpecOperation, method: string, path: string): string => {
  const query = queries[operation.operationId]
  const filled = path.replace(/^\/api\/v1/, "").replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`)
  const isRead = Object.values(operation.responses).some(({ content = {} }) =>
    Object.entries(content).some(([type, { schema }]) => !type.includes("json") && "format" in schema)
  )
  return [
    `curl -sS${method === "get" ? "" : ` -X ${method.toUpperCase()}`} "$API${filled}${query === undefined ? "" : `?${query}`}"`,
    '-H "X-Api-Key: $KEY"',
    ...bodyOf(operation),
    ...(isRead ? ["-o content"] : [])
  ].join(" \\\n  ")
}
