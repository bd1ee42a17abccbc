/**
 * The bodies of the document: examples of requests, and the media types of contents.
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
    scope: { permissions: ["file:read"] }
  },
  "buckets.create": { name: "photos" },
  "buckets.update": { name: "pictures" },
  "mirrors.create": {
    name: "Second site",
    type: "CLOUD_A",
    region: "eu-central-1",
    bucketName: "acme-photos",
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "<SECRET>"
  },
  "mirrors.update": { paused: true },
  "files.move": { path: "/2026/autumn/" },
  "files.copy": { name: "copy of cat.jpg" },
  "files.moveMany": { fileIds: ["fil_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e"], path: "/2026/autumn/" },
  "files.removeMany": { fileIds: ["fil_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e"] },
  "folders.move": { path: "/2026/summer/", to: "/archive/summer/" },
  "folders.remove": { path: "/2026/summer/" },
  "shares.create": { name: "Pictures for the press", path: "/2026/summer/", may: ["view", "download", "list"] },
  "shares.update": { name: "Pictures" },
  "webhooks.create": {
    name: "Search index",
    url: "https://app.example.com/hooks",
    eventTypes: ["file.", "content.replaced"]
  },
  "webhooks.update": { state: "ACTIVE" },
  "webhooks.recover": { since: "2026-01-01T00:00:00.000Z" },
  "files.reserve": { name: "cat.jpg", path: "/2026/summer/" },
  "files.update": { path: "/2026/autumn/", alias: "cat", metadata: { camera: "X100" } },
  "contents.uploadUrl": {
    path: "/avatars/",
    name: "ada.png",
    maxBytes: 5_000_000,
    contentTypes: ["image/png", "image/jpeg"],
    expiresIn: 600,
    onConflict: "replace"
  },
  "files.signedUrl": { may: "download", expiresIn: 3600 },
  "streams.requestHls": { mode: "auto" },
  "streams.requestDash": { mode: "auto" },
  "streams.hlsKey": { expiresIn: 3600 },
  "streams.dashKey": { expiresIn: 3600 },
  "captions.attach": {
    language: "de",
    label: "Deutsch",
    text: "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nHallo!\n"
  },
  "posters.set": { time: 12.5 },
  "headers.set": { name: "cache-control", value: "max-age=3600" },
  "headers.setAll": {
    bulk: [
      { name: "content-type", value: "text/plain" },
      { name: "x-origin", value: "import" }
    ]
  }
}

/** Operations whose body is optional. */
const withOptionalBody: ReadonlySet<string> = new Set([
  "streams.requestHls",
  "streams.requestDash",
  "streams.hlsKey",
  "streams.dashKey"
])

const binary = { schema: { type: "string", format: "binary" } } as const

const anyType: ReadonlyArray<string> = ["*/*"]

/** The media types of the operations that respond with bytes. The content of a file has any type. */
const binaryTypes: { readonly [operationId: string]: ReadonlyArray<string> } = {
  "reading.view": anyType,
  "reading.download": anyType,
  "playback.hlsFile": ["video/mp2t", "application/vnd.apple.mpegurl"],
  "playback.hlsRenditionFile": ["video/mp2t"],
  "playback.dashFile": ["video/mp4"],
  "playback.poster": ["image/jpeg"]
}

/** The content of a response that consists of bytes (200 or 206); undefined for any other response. */
export const binaryContent = (operationId: string, status: string): OpenApiSpecContent | undefined => {
  const types = binaryTypes[operationId]
  if (types === undefined || (status !== "200" && status !== "206")) return undefined
  const more = status === "206" ? ["multipart/byteranges"] : []
  return Object.fromEntries([...types, ...more].map((type) => [type, binary]))
}

/** The request body of an operation, with its media types and its example, if it has one. */
export const describeRequest = (operationId: string, body: OpenAPISpecRequestBody): OpenAPISpecRequestBody => {
  const { "application/json": json, "application/octet-stream": bytes, "multipart/form-data": form } = body.content
  if (bytes !== undefined) return { ...body, content: { "application/octet-stream": bytes, "*/*": binary } }
  if (form !== undefined) {
    const encoding = { file: { contentType: "*/*" }, body: { contentType: "application/json" } }
    const example = { file: "@cat.jpg", body: '{"name":"cat.jpg","path":"/2026/summer/"}' }
    const described = { ...form, encoding, example }
    return { ...body, content: { "multipart/form-data": described } }
  }
  const example = examples[operationId]
  if (json === undefined || example === undefined) return body
  const described = { ...json, example }
  const content = { "application/json": described }
  // OpenAPI allows `required: false`, but the generator's type does not.
  return withOptionalBody.has(operationId)
    ? ({ content, required: false } as object as OpenAPISpecRequestBody)
    : { ...body, content }
}
