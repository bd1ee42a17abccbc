/**
 * Commands with curl for the operations of the document, to paste into a shell. They use the variables `API`, the address with
 * `/api/v1`, `KEY`, and one for each parameter of the path: `TENANT` for `tenantId`.
 */
import type { OpenAPISpecOperation } from "effect/http-api/OpenApi"

/** Queries without which an operation does not do what its sample is for. */
const queries: { readonly [operationId: string]: string } = {
  "contents.put": "name=cat.jpg",
  "files.exists": "name=cat.jpg",
  "uploads.create": "name=cat.jpg"
}

/** The protocol of an upload's requests, and what each of them states; instead of the type of the body. */
const headers: { readonly [operationId: string]: ReadonlyArray<string> } = {
  "uploads.create": ["Tus-Resumable: 1.0.0", "Upload-Defer-Length: 1", "Content-Type: application/offset+octet-stream"],
  "uploads.append": ["Tus-Resumable: 1.0.0", "Upload-Offset: 0", "Content-Type: application/offset+octet-stream"],
  "uploads.override": [
    "Tus-Resumable: 1.0.0",
    "X-HTTP-Method-Override: PATCH",
    "Upload-Offset: 0",
    "Content-Type: application/offset+octet-stream"
  ]
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

const bodyOf = ({ operationId, requestBody }: OpenAPISpecOperation): ReadonlyArray<string> => {
  const {
    "application/json": json,
    "application/octet-stream": bytes,
    "multipart/form-data": form
  } = requestBody?.content ?? {}
  if (bytes !== undefined) {
    const fields = headers[operationId] ?? ["Content-Type: image/jpeg"]
    return [...fields.map((field) => `-H '${field}'`), "--data-binary @cat.jpg"]
  }
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
