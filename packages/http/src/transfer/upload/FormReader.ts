/**
 * Reads a form from the body of a request: first up to its file, then the file as a stream.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as BodyReader from "./BodyReader.ts"
import type { FilePart } from "./FilePart.ts"
import type { FormParser } from "./FormParser.ts"
import * as JoinChunks from "./JoinChunks.ts"

type Bytes = ReadonlyArray<Uint8Array>

/** Returns the bytes of the file among the next chunks of the body, possibly none; undefined when the form is complete. */
export type Next<E> = Effect.Effect<Bytes | undefined, E>

/** Makes the effect that reads on. `complete` is called when the form has ended without a fault. */
export const next = <Fault, E>(
  parser: FormParser<Fault>,
  pull: BodyReader.Reader["pull"],
  refuse: (fault: Fault) => Effect.Effect<never, E>,
  complete?: () => void
): Next<BodyReader.BodyError | E> => {
  const receive = (chunks: Bytes): Effect.Effect<Bytes, E> => {
    let fault: Fault | undefined
    // In a header, the parser takes time for each chunk and all the bytes before it.
    for (const chunk of JoinChunks.joinSmall(chunks)) fault ??= parser.push(chunk)
    return fault === undefined ? Effect.succeed(parser.takeFileBytes()) : refuse(fault)
  }
  const end = Effect.suspend(() => {
    const fault = parser.end()
    if (fault !== undefined) return refuse(fault)
    complete?.()
    return Effect.undefined
  })
  return pull.pipe(
    Effect.flatMap(receive),
    Pull.catchDone(() => end)
  )
}

/** The file of a form. */
export interface FormFile<E> {
  readonly part: FilePart
  /** The bytes, which can be read once. The stream ends only after the whole form was read and found complete. */
  readonly stream: Stream.Stream<Uint8Array, E>
}

/** The bytes of the file: `first`, which have been read already, then those in the rest of the form. */
const fileStream = <E>(next: Next<E>, stop: Effect.Effect<void>, first: Bytes): Stream.Stream<Uint8Array, E> => {
  let ready: Bytes | undefined = first
  const pull: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, E> = Effect.suspend(() => {
    const bytes = ready
    if (bytes === undefined) return Cause.done()
    ready = []
    if (Arr.isReadonlyArrayNonEmpty(bytes)) return Effect.succeed(bytes)
    return Effect.flatMap(next, (bytes) => {
      ready = bytes
      return pull
    })
  })
  return Stream.fromChannel(Channel.fromTransform((_, scope) => Effect.as(Scope.addFinalizer(scope, stop), pull)))
}

/** Reads up to the beginning of the file. Returns undefined when the form ends before. `stop` ends the reading of the body. */
export const openFile = Effect.fnUntraced(function* <E>(
  { file }: Pick<FormParser<unknown>, "file">,
  next: Next<E>,
  stop: Effect.Effect<void>
): Effect.fn.Return<FormFile<E> | undefined, E> {
  let first: Bytes | undefined = []
  let part = file()
  while (part === undefined && first !== undefined) {
    first = yield* next
    part = file()
  }
  return part === undefined ? undefined : { part, stream: fileStream(next, stop, first ?? []) }
})
