/**
 * Forms as clients write them, and requests that carry them.
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

/** The bytes of a form, with its last boundary. */
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

/** Bytes cut at places, each a fraction of the whole. */
export const cut = (bytes: Buffer, at: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const places = [...new Set(at.map((fraction) => Math.floor(fraction * bytes.length)))].toSorted((a, b) => a - b)
  return [...places, bytes.length]
    .map((end, i) => bytes.subarray(places[i - 1] ?? 0, end))
    .filter((part) => part.length > 0)
}

/** A request whose body comes in these chunks. */
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
