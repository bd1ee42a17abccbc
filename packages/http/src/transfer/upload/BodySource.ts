/**
 * The bodies of requests as sources of chunks: Node's messages and web `Request`s.
 */
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"
import * as Context from "effect/Context"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Sink, Source } from "./BodyReader.ts"

/** Node's own mark of having told the client to go on. */
const wasContinued = (response: ServerResponse): boolean => "_sent100" in response && response._sent100 === true

/** Tells a client that waits for it to send the body (RFC 9110, section 10.1.1). */
const proceed = (message: IncomingMessage, response: ServerResponse): void => {
  const { expect } = message.headers
  if (expect === undefined || expect.toLowerCase() !== "100-continue") return
  if (!wasContinued(response) && !response.headersSent) response.writeContinue()
}

/**
 * Whether nobody but us listens to the messages of Node's server, so that the chunks which its parser makes are ours to
 * give away. A host's own listeners would find them emptied.
 */
export const IsSoleListener = Context.Reference<boolean>("@holdfast/http/transfer/IsSoleListener", {
  defaultValue: () => false
})

const giving =
  (take: Sink["chunk"]): Sink["chunk"] =>
  (chunk) => {
    TransferableChunks.markTransferable(chunk)
    take(chunk)
  }

/**
 * The body of a Node message. Stopping leaves the message paused and intact, so that the server can answer, read a
 * bounded rest, and close the connection.
 */
export const fromNode = (message: IncomingMessage, response: ServerResponse, isSoleListener: boolean): Source => {
  let stop = (): void => undefined
  return {
    start: (sink: Sink) => {
      if (message.readableEnded) throw new Error("The body of the request was read already.")
      if (message.destroyed) return sink.abort(message.errored ?? undefined)
      const onClose = (): void => sink.abort(message.errored ?? undefined)
      const onData = isSoleListener ? giving(sink.chunk) : sink.chunk
      stop = () => {
        // Once only: what the server does with the rest afterwards is not to be disturbed.
        stop = () => undefined
        message.off("data", onData)
        message.off("end", sink.end)
        message.off("error", sink.abort)
        message.off("close", onClose)
        if (!message.readableEnded) message.pause()
      }
      message.on("end", sink.end)
      message.on("error", sink.abort)
      message.on("close", onClose)
      proceed(message, response)
      message.on("data", onData)
      message.resume()
    },
    pause: () => message.pause(),
    resume: () => message.resume(),
    stop: () => stop()
  }
}

/** The body of a web request. Stopping cancels it. */
export const fromWeb = (body: ReadableStream<Uint8Array> | null): Source => {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let isPaused = false
  let isReading = false
  let step = (): void => undefined
  return {
    start: (sink) => {
      if (body === null) return sink.end()
      const current = (reader = body.getReader())
      step = () => {
        if (isReading || isPaused || reader === undefined) return
        isReading = true
        current.read().then(
          ({ done, value }) => {
            isReading = false
            if (reader === undefined) return
            if (done) return sink.end()
            sink.chunk(value)
            step()
          },
          (cause: unknown) => {
            if (reader !== undefined) sink.abort(cause)
          }
        )
      }
      step()
    },
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
      step()
    },
    stop: () => {
      // Where the body has ended there is nothing to cancel, and a source that cannot be cancelled has nobody to tell.
      reader?.cancel().catch(() => undefined)
      reader = undefined
    }
  }
}
