/**
 * Turns a source that pushes chunks into one that is pulled: what has come since the last pull is handed over at once,
 * as an array of chunks, and the source is paused while too much waits. It costs nothing per chunk but a push onto an
 * array and two additions.
 */
import { ContentTooLarge, LengthMismatch } from "@holdfast/core/files/FileErrors"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { BodyAborted, BodyStalled } from "../TransferErrors.ts"

export type BodyError = BodyAborted | BodyStalled | ContentTooLarge | LengthMismatch

/** Where the chunks come from. It calls nothing of the sink before `start` and after `stop`. */
export interface Source {
  readonly start: (sink: Sink) => void
  /** A chunk that is on its way may still come. */
  readonly pause: () => void
  readonly resume: () => void
  /** Leaves the rest of the body unread. */
  readonly stop: () => void
}

export interface Sink {
  readonly chunk: (chunk: Uint8Array) => void
  readonly end: () => void
  readonly abort: (cause: unknown) => void
}

export interface Limits {
  /** The most bytes that are taken. */
  readonly limit: number
  /** The length that the client announced, undefined when it did not. */
  readonly length: number | undefined
  /** How long to wait for the next byte, in milliseconds. */
  readonly idle: number
}

type Pull = Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, BodyError | Cause.Done>

export interface Reader {
  /** The next chunks. One pull at a time. */
  readonly pull: Pull
  readonly stop: () => void
}

/** Bytes that may wait before the source is paused. */
const highWaterMark = 1024 * 1024
/** Bytes that are worth waking the consumer for within one turn of the event loop. */
const batch = 256 * 1024

export const make = (source: Source, { idle, length, limit }: Limits): Reader => {
  let chunks: Array<Uint8Array> = []
  let waiting = 0
  let total = 0
  let isPaused = false
  let isStarted = false
  /** How the body ended, once it has. */
  let outcome: Effect.Effect<never, BodyError | Cause.Done> | undefined
  let consumer: ((pull: Pull) => void) | undefined
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  const take = (): Pull | undefined => {
    const taken = chunks
    if (!Arr.isReadonlyArrayNonEmpty(taken)) return outcome
    chunks = []
    waiting = 0
    if (isPaused && outcome === undefined) {
      isPaused = false
      source.resume()
    }
    return Effect.succeed(taken)
  }

  const wake = (): void => {
    turn = undefined
    if (consumer === undefined) return
    const pull = take()
    if (pull === undefined) return
    const resume = consumer
    consumer = undefined
    resume(pull)
  }

  const stop = (): void => {
    clearTimeout(timer)
    if (turn !== undefined) clearImmediate(turn)
    consumer = undefined
    if (isStarted) source.stop()
  }

  const finish = (how: Effect.Effect<never, BodyError | Cause.Done>): void => {
    if (outcome !== undefined) return
    outcome = how
    wake()
  }

  const fail = (error: BodyError): void => {
    chunks = []
    source.stop()
    finish(Effect.fail(error))
  }

  const sink: Sink = {
    chunk: (chunk) => {
      total += chunk.length
      if (total > limit) return fail(new ContentTooLarge({ limit }))
      if (length !== undefined && total > length) return fail(new LengthMismatch())
      chunks.push(chunk)
      waiting += chunk.length
      if (waiting >= highWaterMark && !isPaused) {
        isPaused = true
        source.pause()
      }
      if (consumer === undefined) return
      if (waiting >= batch) wake()
      else turn ??= setImmediate(wake)
    },
    end: () => finish(length !== undefined && total < length ? Effect.fail(new LengthMismatch()) : Cause.done()),
    abort: (cause) => finish(Effect.fail(new BodyAborted({ cause })))
  }

  /** Counts only while the consumer waits: the time that a slow disk takes is not the client's. */
  const watch = (): void => {
    if (timer !== undefined) {
      timer.refresh()
      return
    }
    timer = setTimeout(() => {
      if (consumer !== undefined && chunks.length === 0) fail(new BodyStalled({ idle }))
    }, idle)
    timer.unref()
  }

  const pull: Pull = Effect.suspend(() => {
    if (!isStarted) {
      isStarted = true
      source.start(sink)
    }
    return (
      take() ??
      Effect.callback((resume) => {
        consumer = resume
        watch()
        return Effect.sync(() => {
          consumer = undefined
        })
      })
    )
  })

  return { pull, stop }
}
