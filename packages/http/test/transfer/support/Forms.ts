/**
 * Forms in the encoding that clients use, and requests with them.
 */
import * as HttpServerRequest from "effect/http/HttpServerRequest"

export const boundary = "----bound"

export interface Part {
  readonly head: string
  readonly content: string | Uint8Array
}

export const file = (content: string | Uint8Array, filename = "a.txt"): Part => ({
  head: `Content-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: text/plain`,
  content
})

export const field = (name: string, content: string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  content
})

/** The bytes of a complete form. */
export const form = (...parts: ReadonlyArray<Part>): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ content, head }) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from("\r\n")
    ]),
    Buffer.from(`--${boundary}--\r\n`)
  ])

export const contentType = `multipart/form-data; boundary=${boundary}`

/** Splits bytes at these positions, each a fraction of the whole length. */
export const cut = (bytes: Buffer, at: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const offsets = [...new Set(at.map((fraction) => Math.floor(fraction * bytes.length)))].toSorted((a, b) => a - b)
  return [...offsets, bytes.length]
    .map((end, i) => bytes.subarray(offsets[i - 1] ?? 0, end))
    .filter((part) => part.length > 0)
}

/** A request whose body arrives in these chunks. */
export const request = (
  chunks: ReadonlyArray<Uint8Array>,
  headers: Readonly<Record<string, string>> = { "content-type": contentType }
): HttpServerRequest.HttpServerRequest => {
  let next = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = chunks[next++]
      if (chunk === undefined) controller.close()
      else controller.enqueue(chunk)
    }
  })
  const init: RequestInit & { readonly duplex: "half" } = {
    method: "POST",
    body,
    headers: { ...headers },
    duplex: "half"
  }
  return HttpServerRequest.fromWeb(new Request("http://a/", init))
}
