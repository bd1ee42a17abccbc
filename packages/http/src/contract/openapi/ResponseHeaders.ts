/**
 * The response headers of the document that no operation declares, because the service adds them to all responses of a status.
 */
import type { OpenAPISpecHeader } from "effect/http-api/OpenApi"

const text = (description: string, example: string): OpenAPISpecHeader => ({
  description,
  required: true,
  schema: { type: "string", examples: [example] }
})

const requestId = text("The id of the request: the client's own, or one that the service generated.", "req_4cd39b0a_1")

const optional = (description: string, example: string): OpenAPISpecHeader => ({
  ...text(description, example),
  required: false
})

const byStatus: { readonly [status: string]: Record<string, OpenAPISpecHeader> } = {
  401: { "WWW-Authenticate": text("The authentication scheme.", 'Bearer realm="holdfast"') },
  416: { "Content-Range": text("The size of the content, in bytes.", "bytes */1234") },
  429: {
    "Retry-After": text("How many seconds to wait before the next attempt.", "2"),
    "RateLimit-Policy": optional(
      "For each rate that the request counts for: its number of requests, and its window in seconds. Other answers may have it, too.",
      '"key";q=600;w=60'
    ),
    RateLimit: optional(
      "For each rate: how many more requests may be made now, and the seconds until all of them are available.",
      '"key";r=0;t=60'
    )
  },
  503: { "Retry-After": text("How many seconds to wait before the next attempt.", "2") }
}

const exceptions: { readonly [name: string]: string } = { etag: "ETag" }

/** The name of a header in its canonical case. */
export const canonicalName = (name: string): string =>
  exceptions[name] ?? name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())

/** All headers of a response: those that its operation declares, then those of its status, then `X-Request-Id`. */
export const allHeaders = (
  status: string,
  declared: Record<string, OpenAPISpecHeader> | undefined
): Record<string, OpenAPISpecHeader> => ({
  ...Object.fromEntries(Object.entries(declared ?? {}).map(([name, header]) => [canonicalName(name), header])),
  ...byStatus[status],
  "X-Request-Id": requestId
})
