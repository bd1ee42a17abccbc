/**
 * Reads a small body of known length into memory.
 */
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as BodyReader from "./BodyReader.ts"
import * as BodySource from "./BodySource.ts"

export interface Options extends Pick<BodyReader.Limits, "idle" | "minimumRate"> {
  /** The declared length of the body, in bytes. */
  readonly length: number
}

/** Returns a body that has arrived as a whole; undefined for any other. */
const takeArrived = (message: IncomingMessage, length: number): Uint8Array | undefined => {
  if (!message.complete || message.readableLength !== length) return undefined
  const bytes: unknown = message.read(length)
  return bytes instanceof Uint8Array ? bytes : undefined
}

const readOn = (reader: BodyReader.Reader, length: number): Effect.Effect<Uint8Array, BodyReader.BodyError> => {
  const chunks: Array<Uint8Array> = []
  const next: Effect.Effect<Uint8Array, BodyReader.BodyError> = reader.pull.pipe(
    Effect.flatMap((pulled) => {
      chunks.push(...pulled)
      return next
    }),
    Pull.catchDone(() => {
      const [first] = chunks
      return Effect.succeed(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length))
    })
  )
  return next
}

/**
 * Reads the body of a message that nothing has read yet. Fails as the reader of `RequestBody` does. An interruption leaves the rest of
 * the body to the server.
 */
export const read = (
  message: IncomingMessage,
  response: ServerResponse,
  { length, ...limits }: Options
): Effect.Effect<Uint8Array, BodyReader.BodyError> =>
  Effect.suspend(() => {
    const arrived = takeArrived(message, length)
    if (arrived !== undefined) return Effect.succeed(arrived)
    // The bytes are kept until they are stored, so that their memory is not released before.
    const source = BodySource.fromNode(message, response, false)
    const reader = BodyReader.make(source, { ...limits, length, limit: length })
    return Effect.onExitPrimitive(readOn(reader, length), () => {
      reader.stop()
      return undefined
    })
  })
