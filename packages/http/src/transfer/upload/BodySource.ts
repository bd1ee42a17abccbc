/**
 * The bodies of requests as sources of chunks for `BodyReader`: of Node messages and of web `Request`s.
 */
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Aborts from "../../incoming/Aborts.ts"
import type { Sink, Source } from "./BodyReader.ts"

/** Whether `100 Continue` was sent already: the flag is Node's own and undocumented. */
const wasContinued = (response: ServerResponse): boolean => "_sent100" in response && response._sent100 === true

/** Sends `100 Continue` to a client that waits for it before it sends the body (RFC 9110, section 10.1.1). */
const sendContinue = (message: IncomingMessage, response: ServerResponse): void => {
  const { expect } = message.headers
  if (expect === undefined || expect.toLowerCase() !== "100-continue") return
  if (!wasContinued(response) && !response.headersSent) response.writeContinue()
}

/**
 * Whether this package alone listens to the messages of Node's server. If so, the chunks that Node's parser makes are
 * marked as transferable: a store may detach their memory after it has written them. A host that mounts the API may have
 * `data` listeners of its own, which would see detached, empty chunks.
 */
export const IsSoleListener = Context.Reference<boolean>("@holdfast/http/transfer/IsSoleListener", {
  defaultValue: () => false
})

const markingTransferable =
  (take: (chunk: Uint8Array) => unknown): Sink["chunk"] =>
  (chunk) => {
    TransferableChunks.markTransferable(chunk)
    take(chunk)
  }

/**
 * Runs the reader of a whole body, which copies the chunks of the message, and releases their memory then. Without that the collector
 * lets them accumulate, and collects the whole heap several times per second while bodies of a MiB arrive.
 */
export const releasingChunks = <A, E, R>(
  message: IncomingMessage,
  read: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    const onData = markingTransferable((chunk) => chunks.push(chunk))
    // Unlike `on`, it does not start the message.
    message.prependListener("data", onData)
    return Effect.onExitPrimitive(read, () => {
      message.off("data", onData)
      // A single chunk is not copied.
      if (chunks.length > 1) TransferableChunks.detach(chunks)
      return undefined
    })
  })

/**
 * The body of a Node message. `stop` pauses the message and leaves it usable, so that the server can send its response, read
 * a bounded amount of the rest, and close the connection.
 */
export const fromNode = (message: IncomingMessage, response: ServerResponse, isSoleListener: boolean): Source => {
  let stop = (): void => undefined
  return {
    start: (sink: Sink) => {
      if (message.readableEnded) throw new Error("The body of the request has already been read.")
      if (message.destroyed) return sink.abort(message.errored ?? undefined)
      const onError = (cause: unknown): void => Aborts.ofProcess.enqueue(() => sink.abort(cause))
      const onClose = (): void => onError(message.errored ?? undefined)
      const onData = isSoleListener ? markingTransferable(sink.chunk) : sink.chunk
      stop = () => {
        // Runs only once: a second call must not disturb what the server does with the rest of the body.
        stop = () => undefined
        message.off("data", onData)
        message.off("end", sink.end)
        message.off("error", onError)
        message.off("close", onClose)
        if (!message.readableEnded) message.pause()
      }
      message.on("end", sink.end)
      message.on("error", onError)
      message.on("close", onClose)
      sendContinue(message, response)
      message.on("data", onData)
      message.resume()
    },
    pause: () => message.pause(),
    resume: () => message.resume(),
    stop: () => stop()
  }
}

/** The body of a web request, null when it has none. `stop` cancels it. */
export const fromWeb = (body: ReadableStream<Uint8Array> | null): Source => {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let isPaused = false
  let isReading = false
  let readNext = (): void => undefined
  return {
    start: (sink) => {
      if (body === null) return sink.end()
      const current = (reader = body.getReader())
      readNext = () => {
        if (isReading || isPaused || reader === undefined) return
        isReading = true
        current.read().then(
          ({ done, value }) => {
            isReading = false
            if (reader === undefined) return
            if (done) return sink.end()
            sink.chunk(value)
            readNext()
          },
          (cause: unknown) => {
            if (reader !== undefined) sink.abort(cause)
          }
        )
      }
      readNext()
    },
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
      readNext()
    },
    stop: () => {
      // Cancelling rejects when the body has failed or its source cannot cancel. In both cases nothing is left to do.
      reader?.cancel().catch(() => undefined)
      reader = undefined
    }
  }
}
