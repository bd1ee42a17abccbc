/**
 * What the document says of bodies: examples, and the media types of contents.
 */
import type { OpenApiSpecContent, OpenAPISpecRequestBody } from "effect/http-api/OpenApi"

const examples: { readonly [operationId: string]: unknown } = {
  "tenants.create": { name: "Acme Ltd", subdomain: "acme" },
  "tenants.update": { name: "Acme & Sons" },
  "members.add": { user: { email: "ada@example.com" }, role: { id: "role_file_writer" } },
  "members.update": { role: { name: "File Reader" } },
  "tokens.create": {
    name: "Nightly backup",
    member: { id: "mem_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e" },
    expiresAt: "2030-01-01T00:00:00.000Z"
  },
  "buckets.create": { name: "photos" },
  "buckets.update": { name: "pictures" },
  "files.reserve": { name: "cat.jpg", path: "/2026/summer/" },
  "files.update": { path: "/2026/autumn/", alias: "cat", metadata: { camera: "X100" } },
  "headers.set": { name: "cache-control", value: "max-age=3600" },
  "headers.setAll": {
    bulk: [
      { name: "content-type", value: "text/plain" },
      { name: "x-origin", value: "import" }
    ]
  }
}

const binary = { schema: { type: "string", format: "binary" } } as const

/** Contents are of any type. */
export const ofContent = (status: string): OpenApiSpecContent =>
  status === "206" ? { "*/*": binary, "multipart/byteranges": binary } : { "*/*": binary }

/** An operation's request body, with an example where there is one. */
export const ofRequest = (operationId: string, body: OpenAPISpecRequestBody): OpenAPISpecRequestBody => {
  const { "application/json": json, "application/octet-stream": bytes, "multipart/form-data": form } = body.content
  if (bytes !== undefined) return { ...body, content: { "application/octet-stream": bytes, "*/*": binary } }
  if (form !== undefined) {
    const encoding = { file: { contentType: "*/*" }, body: { contentType: "application/json" } }
    const example = { file: "(the bytes)", body: '{"name":"cat.jpg","path":"/2026/summer/"}' }
    const described = { ...form, encoding, example }
    return { ...body, content: { "multipart/form-data": described } }
  }
  const example = examples[operationId]
  if (json === undefined || example === undefined) return body
  const described = { ...json, example }
  return { ...body, content: { "application/json": described } }
}
