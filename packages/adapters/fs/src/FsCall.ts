/**
 * Node's callback functions as effects.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { constants } from "node:os"

/** A system call that failed. `code` is the errno's name, such as `ENOENT`; empty for an error without one. */
export class ErrnoError extends Data.TaggedError("ErrnoError")<{
  readonly code: string
  readonly cause: NodeJS.ErrnoException
}> {}

/** What Node calls when it is done. */
export type Callback<A> = (error: NodeJS.ErrnoException | null, value: A) => void

/** Some errors have a number but no name in Node: `EDQUOT` comes as "Unknown system error -122". */
const names: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.errno).map(([name, number]) => [number, name])
)

const nameOf = ({ code = "", errno = 0 }: NodeJS.ErrnoException): string =>
  code.startsWith("Unknown") ? (names.get(-errno) ?? code) : code

export const errno = (cause: NodeJS.ErrnoException): ErrnoError => new ErrnoError({ code: nameOf(cause), cause })

export const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/**
 * Runs a callback function; it may also throw. What has begun is awaited, also when the fiber is interrupted: as long
 * as the kernel works on a descriptor, closing it could hand its number to another file.
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

/** Runs a function that needs no disk, and may throw. */
export const attempt = <A>(run: () => A): Effect.Effect<A, ErrnoError> =>
  Effect.try({ try: run, catch: (cause) => errno(toError(cause)) })

/** A callback that brings no value. */
export type Done = (error: NodeJS.ErrnoException | null) => void

/**
 * Syncs a descriptor and closes it. The close is not worth the trip to a thread: after the sync it has nothing to
 * wait for, as long as the file has a name.
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

/** Succeeds with undefined where the error has this code. */
export const ignoreCode =
  (code: string) =>
  <A>(self: Effect.Effect<A, ErrnoError>): Effect.Effect<A | undefined, ErrnoError> =>
    Effect.catchIf(
      self,
      (error) => error.code === code,
      () => Effect.undefined
    )

/** Removes a name; there may be none. */
export const unlink = (path: string): Effect.Effect<void, ErrnoError> =>
  ignoreCode("ENOENT")(call<void>((done) => Fs.unlink(path, done)))

/** Tidying up after an outcome that stands already: its own failure is logged, not told. */
export const ignoreFailure = (self: Effect.Effect<unknown, ErrnoError>): Effect.Effect<void> =>
  Effect.catch(Effect.asVoid(self), (error) => Effect.logWarning("The blob store could not tidy up.", error.cause))
