/**
 * The response headers that no operation declares, since the service adds them to all that call for them.
 */
import type { OpenAPISpecHeader } from "effect/http-api/OpenApi"

const text = (description: string, example: string): OpenAPISpecHeader => ({
  description,
  required: true,
  schema: { type: "string", examples: [example] }
})

const requestId = text("The name of the request: the caller's own, or one that the service made.", "req_4cd39b0a_1")

const byStatus: { readonly [status: string]: Record<string, OpenAPISpecHeader> } = {
  401: { "WWW-Authenticate": text("How to authenticate.", 'Bearer realm="holdfast"') },
  416: { "Content-Range": text("The size of the content.", "bytes */1234") },
  429: { "Retry-After": text("Seconds to wait.", "2") },
  503: { "Retry-After": text("Seconds to wait.", "2") }
}

const names: { readonly [name: string]: string } = { etag: "ETag" }

/** A header's name as people write it. */
export const canonicalName = (name: string): string =>
  names[name] ?? name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())

/** All headers of a status, after those that its operation declares. */
export const allHeaders = (
  status: string,
  declared: Record<string, OpenAPISpecHeader> | undefined
): Record<string, OpenAPISpecHeader> => ({
  ...Object.fromEntries(Object.entries(declared ?? {}).map(([name, header]) => [canonicalName(name), header])),
  ...byStatus[status],
  "X-Request-Id": requestId
})
