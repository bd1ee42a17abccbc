/**
 * Runs Node's callback functions as effects.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { constants } from "node:os"
import type { DirectCalls } from "./DirectCalls.ts"

/** A failed system call. `code` is the name of the errno, such as `ENOENT`; empty for an error without one. */
export class ErrnoError extends Data.TaggedError("ErrnoError")<{
  readonly code: string
  readonly cause: NodeJS.ErrnoException
}> {}

/** The callback of a Node function. */
export type Callback<A> = (error: NodeJS.ErrnoException | null, value: A) => void

/** Names by number. Node has no name for some errors: it reports `EDQUOT` as "Unknown system error -122". */
const names: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno).map(([name, number]) => [number, name])
)

const nameOf = ({ code = "", errno = 0 }: NodeJS.ErrnoException): string =>
  code.startsWith("Unknown") ? (names.get(-errno) ?? code) : code

/** Returns the error for a failed call. */
export const errno = (cause: NodeJS.ErrnoException): ErrnoError => new ErrnoError({ code: nameOf(cause), cause })

/** Returns what was thrown if it is an Error, otherwise an Error with its text. */
export const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/**
 * Runs a callback function, which may also throw. Waits for the callback even when the fiber is interrupted: if a descriptor
 * were closed during a call on it, the kernel could give its number to another file.
 */
export const call = <A>(begin: (done: Callback<A>) => void): Effect.Effect<A, ErrnoError> =>
  Effect.uninterruptible(
    Effect.callback<A, ErrnoError>((resume) => {
      try {
        begin((error, value) => resume(error ? Effect.fail(errno(error)) : Effect.succeed(value)))
      } catch (cause) {
        resume(Effect.fail(errno(toError(cause))))
      }
    })
  )

/** Runs a synchronous function that needs no disk and may throw. */
export const attempt = <A>(run: () => A): Effect.Effect<A, ErrnoError> =>
  Effect.try({ try: run, catch: (cause) => errno(toError(cause)) })

/** Runs a short operation on the calling thread as long as that is fast, and otherwise what `pooled` returns. */
export const short = <A>(
  directCalls: DirectCalls,
  run: () => A,
  pooled: () => Effect.Effect<A, ErrnoError>
): Effect.Effect<A, ErrnoError> =>
  Effect.suspend(() => (directCalls.isFast() ? attempt(() => directCalls.run(run)) : pooled()))

/** A callback without a value. */
export type Done = (error: NodeJS.ErrnoException | null) => void

/**
 * Syncs a descriptor and closes it. The close is synchronous: after the sync it has nothing to wait for as long as the file
 * has a name.
 */
export const syncAndClose = (descriptor: number, done: Done): void =>
  Fs.fsync(descriptor, (error) => {
    let failure = error
    try {
      Fs.closeSync(descriptor)
    } catch (cause) {
      failure ??= toError(cause)
    }
    done(failure)
  })

/**
 * Syncs a directory. Opens it synchronously: the caller has just used it, so that the kernel has its entry in the cache and a thread
 * would only add latency.
 */
export const syncDirectory = (path: string, done: Done): void => {
  let descriptor
  try {
    descriptor = Fs.openSync(path, Fs.constants.O_RDONLY | Fs.constants.O_DIRECTORY)
  } catch (cause) {
    return done(toError(cause))
  }
  syncAndClose(descriptor, done)
}

/** Succeeds with undefined for an error with this code. */
export const ignoreCode =
  (code: string) =>
  <A>(self: Effect.Effect<A, ErrnoError>): Effect.Effect<A | undefined, ErrnoError> =>
    Effect.catchIf(
      self,
      (error) => error.code === code,
      () => Effect.undefined
    )

/** Removes a file; succeeds also when it does not exist. */
export const unlink = (path: string): Effect.Effect<void, ErrnoError> =>
  ignoreCode("ENOENT")(call<void>((done) => Fs.unlink(path, done)))

/** Runs a cleanup after the result is decided: logs its failure instead of returning it. */
export const ignoreFailure = (self: Effect.Effect<unknown, ErrnoError>): Effect.Effect<void> =>
  Effect.catch(Effect.asVoid(self), ({ cause, code }) =>
    Effect.logWarning("blob store cleanup failed", cause).pipe(Effect.annotateLogs({ code }))
  )
