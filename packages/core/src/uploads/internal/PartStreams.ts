/**
 * Divides a content into streams of a bounded size, one for each part.
 */
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { UploadSuperseded } from "../UploadErrors.ts"

export interface PartStreams<E, R> {
  /**
   * Waits for the next bytes. Returns the stream of the next part; undefined at the end of the content. The former stream must have
   * ended. The stream never fails: where the content fails, is stopped or interrupted, it ends with the bytes that have arrived.
   */
  readonly next: Effect.Effect<Stream.Stream<Uint8Array, never, R> | undefined, never, R>
  /** Fails with the error of the content, if it has failed, and with `UploadSuperseded` if it was stopped before its end. */
  readonly outcome: Effect.Effect<void, E | UploadSuperseded>
}

type Chunks = Arr.NonEmptyReadonlyArray<Uint8Array>

/** Divides a content. `stop` ends it early. */
export const make = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  { partSize, stop }: { readonly partSize: number; readonly stop: Effect.Effect<void> }
): Effect.Effect<PartStreams<E, R>, never, R | Scope.Scope> =>
  Effect.map(Stream.toPull(content), (pull) => {
    /** Chunks that have arrived and belong to no part yet. */
    let waiting: ReadonlyArray<Uint8Array> = []
    let hasEnded = false
    let outcome: Exit.Exit<void, E | UploadSuperseded> = Exit.void

    const end = (how: typeof outcome): ReadonlyArray<Uint8Array> => {
      hasEnded = true
      outcome = how
      return []
    }
    const pullOnce: Effect.Effect<ReadonlyArray<Uint8Array>, never, R> = Effect.suspend(() => {
      if (waiting.length > 0 || hasEnded) {
        const chunks = waiting
        waiting = []
        return Effect.succeed(chunks)
      }
      const pulled: Effect.Effect<ReadonlyArray<Uint8Array>, E, R> = Pull.catchDone(pull, () =>
        Effect.sync(() => end(Exit.void))
      )
      const stopped = Effect.map(stop, () => end(Exit.fail(new UploadSuperseded())))
      // Only the wait for the client is interruptible, so that a disconnected client ends the part, and the part is stored.
      const orStopped = Effect.interruptible(Effect.raceFirst(pulled, stopped))
      return Effect.catchCause(orStopped, (cause) => Effect.sync(() => end(Exit.failCause(cause))))
    })

    /** Returns the first chunks of at most `room` bytes, and keeps the rest. */
    const cut = (chunks: ReadonlyArray<Uint8Array>, room: number): ReadonlyArray<Uint8Array> => {
      const taken: Array<Uint8Array> = []
      let left = room
      for (const [index, chunk] of chunks.entries()) {
        if (chunk.length <= left) {
          taken.push(chunk)
          left -= chunk.length
          continue
        }
        // Copied: the store may detach the memory of a chunk that it has written.
        if (left > 0) taken.push(chunk.slice(0, left))
        waiting = [left > 0 ? chunk.slice(left) : chunk, ...chunks.slice(index + 1)]
        break
      }
      return taken
    }

    const isNonEmpty = (chunks: ReadonlyArray<Uint8Array>): chunks is Chunks => chunks.length > 0

    const streamPart = (): Stream.Stream<Uint8Array, never, R> => {
      let room = partSize
      const step: Pull.Pull<Chunks, never, void, R> = Effect.suspend(() =>
        room === 0
          ? Cause.done()
          : Effect.flatMap(pullOnce, (chunks): Pull.Pull<Chunks> => {
              const taken = cut(chunks, room)
              for (const chunk of taken) room -= chunk.length
              return isNonEmpty(taken) ? Effect.succeed(taken) : Cause.done()
            })
      )
      return Stream.fromPull(Effect.succeed(step))
    }

    return {
      next: Effect.map(pullOnce, (chunks) => {
        waiting = chunks
        return chunks.length === 0 ? undefined : streamPart()
      }),
      outcome: Effect.suspend(() => outcome)
    }
  })
