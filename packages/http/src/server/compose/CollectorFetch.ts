/**
 * Requests to an OTLP collector. Only the status of an answer is used, so that a collector can take neither memory nor a connection
 * without end.
 */

/** How long a request may take, as OpenTelemetry's exporters grant by default, in milliseconds. */
const defaultTimeout = 10_000

/** The bytes of an answer that are read, after decompression, so that its connection can be used again. */
const maxBytes = 64 * 1024

/** Reads a body, and cancels it when it is longer than an answer of a collector. */
const drop = async (body: ReadableStream<Uint8Array>): Promise<void> => {
  let received = 0
  for await (const chunk of body) {
    received += chunk.byteLength
    // The iterator cancels the rest.
    if (received > maxBytes) return
  }
}

/** Returns a `fetch` whose responses have no body. It fails when a response does not end within `timeout` milliseconds. */
export const make =
  (timeout = defaultTimeout): typeof globalThis.fetch =>
  async (input, init) => {
    const signals = [AbortSignal.timeout(timeout), ...(init?.signal ? [init.signal] : [])]
    const { body, headers, status } = await fetch(input, { ...init, signal: AbortSignal.any(signals) })
    if (body !== null) await drop(body)
    return new Response(null, { headers, status })
  }
