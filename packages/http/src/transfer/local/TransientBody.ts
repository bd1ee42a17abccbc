/**
 * Sends a body whose chunks reuse one memory, such as a segment that is cut from a content: the next chunk is made when the socket has
 * taken the one before.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { ClientAbort } from "effect/http/HttpServerError"
import * as Stream from "effect/Stream"
import type { ServerResponse } from "node:http"

const aborted = Effect.failCause(Cause.annotate(Cause.interrupt(), ClientAbort.annotation))

/** Starts an operation of a response, and waits for its callback, or for the end of the connection. */
const untilDone = (
  response: ServerResponse,
  begin: (done: (error?: Error | null) => void) => void
): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const onClose = (): void => resume(aborted)
    if (response.destroyed) return onClose()
    response.once("close", onClose)
    begin((error) => {
      response.off("close", onClose)
      resume(error ? aborted : Effect.void)
    })
  })

/** Ends a response whose bytes are all written. */
export const end = (response: ServerResponse): Effect.Effect<void> =>
  untilDone(response, (done) => response.end(() => done()))

/**
 * Sends the chunks, and ends the response. `writeHead` is called before the first one: if that fails, nothing is sent. An incomplete
 * response is destroyed, so that it does not look complete.
 */
export const send = <E>(
  response: ServerResponse,
  chunks: Stream.Stream<Uint8Array, E>,
  writeHead: () => void
): Effect.Effect<void, E> => {
  let isHeadSent = false
  // Chunks that come together are valid together: one system call writes them.
  const write = (chunks: ReadonlyArray<Uint8Array>) =>
    untilDone(response, (done) => {
      if (!isHeadSent) writeHead()
      isHeadSent = true
      response.cork()
      for (const [index, chunk] of chunks.entries()) {
        if (index === chunks.length - 1) response.write(chunk, done)
        else response.write(chunk)
      }
      response.uncork()
    })
  return Stream.runForEachArray(chunks, write).pipe(
    Effect.andThen(Effect.suspend(() => end(response))),
    Effect.onError(() => Effect.sync(() => void (isHeadSent && response.destroy())))
  )
}
