/**
 * Turns a source that pushes chunks into one that the consumer pulls from. A pull returns all chunks that came since the
 * last one as an array. While more than a MiB is buffered the source is paused. The cost per chunk is a push onto an array
 * and a few additions.
 */
import type { ContentTooLarge, LengthMismatch } from "@holdfast/core/files/FileErrors"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as MinimumRate from "../MinimumRate.ts"
import { BodyAborted, BodyStalled, BodyTooSlow } from "../TransferErrors.ts"
import * as BodyGuard from "./BodyGuard.ts"

export type BodyError = BodyAborted | BodyStalled | BodyTooSlow | ContentTooLarge | LengthMismatch

/** Where the chunks come from. It calls the sink only between `start` and `stop`. */
export interface Source {
  readonly start: (sink: Sink) => void
  /** Asks the source to pause. Chunks that are already on their way may still arrive. */
  readonly pause: () => void
  readonly resume: () => void
  /** Ends the reading; the rest of the body stays unread. */
  readonly stop: () => void
}

/** What the source calls. */
export interface Sink {
  readonly chunk: (chunk: Uint8Array) => void
  readonly end: () => void
  readonly abort: (cause: unknown) => void
}

export interface Limits extends BodyGuard.BodyLimits {
  /** How long a pull waits for the next byte before it fails, in milliseconds. */
  readonly idle: number
  /** The rate below which the reader fails; none when absent. */
  readonly minimumRate?: MinimumRate.MinimumRate | undefined
}

type Pull = Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, BodyError | Cause.Done>

export interface Reader {
  /** The next chunks. Only one pull may run at a time. */
  readonly pull: Pull
  readonly stop: () => void
}

/** The source is paused when this many bytes are buffered. */
const highWaterMark = 1024 * 1024
/** With this many bytes buffered, a waiting pull resumes at once instead of at the end of the event loop's turn. */
const wakeThreshold = 256 * 1024

/** A reader of the source. The source starts with the first pull. */
export const make = (source: Source, { idle, minimumRate, ...limits }: Limits): Reader => {
  const guard = BodyGuard.make(limits)
  const meter = minimumRate === undefined ? undefined : MinimumRate.makeMeter(minimumRate)
  let chunks: Array<Uint8Array> = []
  let bufferedBytes = 0
  let isPaused = false
  let isStarted = false
  /** How the body ended; undefined until then. */
  let outcome: Effect.Effect<never, BodyError | Cause.Done> | undefined
  /** Resumes the pull that waits. */
  let resumePull: ((pull: Pull) => void) | undefined
  let waitsSince = 0
  let idleTimer: NodeJS.Timeout | undefined
  let wakeImmediate: NodeJS.Immediate | undefined

  /** The buffered chunks, or the outcome when there are none; undefined while the body goes on. */
  const takeBuffered = (): Pull | undefined => {
    const taken = chunks
    if (!Arr.isReadonlyArrayNonEmpty(taken)) return outcome
    chunks = []
    bufferedBytes = 0
    if (isPaused && outcome === undefined) {
      isPaused = false
      source.resume()
    }
    return Effect.succeed(taken)
  }

  /** Fails the reader when the client was too slow. Only waits count, so that the time which a slow disk takes does not. */
  const findTooSlow = (): Effect.Effect<never, BodyError | Cause.Done> | undefined => {
    if (minimumRate === undefined || outcome !== undefined) return undefined
    if (meter?.isTooSlowAfter(performance.now() - waitsSince) !== true) return undefined
    fail(new BodyTooSlow({ rate: minimumRate }))
    return outcome
  }

  const wake = (): void => {
    wakeImmediate = undefined
    if (resumePull === undefined) return
    const pull = takeBuffered()
    if (pull === undefined) return
    const resume = resumePull
    resumePull = undefined
    resume(findTooSlow() ?? pull)
  }

  const stop = (): void => {
    clearTimeout(idleTimer)
    if (wakeImmediate !== undefined) clearImmediate(wakeImmediate)
    resumePull = undefined
    if (isStarted) source.stop()
  }

  const finish = (result: Effect.Effect<never, BodyError | Cause.Done>): void => {
    if (outcome !== undefined) return
    outcome = result
    wake()
  }

  const fail = (error: BodyError): void => {
    chunks = []
    source.stop()
    finish(Effect.fail(error))
  }

  const sink: Sink = {
    chunk: (chunk) => {
      const error = guard.count(chunk.length)
      if (error !== undefined) return fail(error)
      meter?.count(chunk.length)
      chunks.push(chunk)
      bufferedBytes += chunk.length
      if (bufferedBytes >= highWaterMark && !isPaused) {
        isPaused = true
        source.pause()
      }
      if (resumePull === undefined) return
      if (bufferedBytes >= wakeThreshold) wake()
      else wakeImmediate ??= setImmediate(wake)
    },
    end: () => {
      const error = guard.end()
      finish(error === undefined ? Cause.done() : Effect.fail(error))
    },
    abort: (cause) => finish(Effect.fail(new BodyAborted({ cause })))
  }

  /** The timer runs only while a pull waits, so that the time which a slow disk takes does not count as the client's. */
  const startIdleTimer = (): void => {
    if (idleTimer !== undefined) {
      idleTimer.refresh()
      return
    }
    idleTimer = setTimeout(() => {
      if (resumePull !== undefined && chunks.length === 0) fail(new BodyStalled({ idle }))
    }, idle)
    idleTimer.unref()
  }

  const pull: Pull = Effect.suspend(() => {
    if (!isStarted) {
      isStarted = true
      source.start(sink)
    }
    return (
      takeBuffered() ??
      Effect.callback((resume) => {
        resumePull = resume
        waitsSince = performance.now()
        startIdleTimer()
        return Effect.sync(() => {
          resumePull = undefined
        })
      })
    )
  })

  return { pull, stop }
}
