/**
 * One content on its way to the service.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as Assembly from "./Assembly.ts"
import type * as Connection from "./Connection.ts"
import * as GcsFailure from "./GcsFailure.ts"
import type * as GcsOptions from "./GcsOptions.ts"
import * as Objects from "./Objects.ts"
import type * as Resource from "./Resource.ts"
import * as Resumable from "./Resumable.ts"

export interface Settings<F> {
  /** A multiple of what the service takes. */
  readonly chunkBytes: number
  /** Of the content, as many as it is likely to have. */
  readonly expectedBytes?: number
  readonly resource: Resource.Description
  readonly toError: (failure: GcsFailure.GcsFailure) => F
  /** Looks at the whole content before it is made visible, so that it may refuse it. */
  readonly inspect: (digests: Assembly.Digests) => Effect.Effect<void, F>
  /** Whether an object is removed again whose writer was interrupted when the service had just made it visible. */
  readonly isUndone: boolean
}

export const chunkBytesOf = ({ chunkBytes = 8 * 1024 * 1024 }: GcsOptions.Limits): number =>
  Math.max(1, Math.floor(chunkBytes / Resumable.unit)) * Resumable.unit

/** Tidying up after an outcome that stands already: its own failure is logged, not told. */
export const tidy = (self: Effect.Effect<void, GcsFailure.GcsFailure>): Effect.Effect<void> =>
  Effect.catch(self, ({ cause, detail }) =>
    Effect.logWarning("The object store could not be tidied up.", detail, cause)
  )

/** Whether the service keeps what was sent. It leaves the MD5 out where it has none. */
const isSame = ({ md5, size }: Assembly.Digests, stored: Resource.Stored): boolean =>
  stored.size === size && (stored.md5Hash === undefined || stored.md5Hash === md5)

/**
 * Writes an object, whole or not at all. Its bytes are held against their MD5 by the service before it shows them: the
 * service takes that as it takes a CRC-32C, and Node computes it in native code.
 */
export const put = <E, R, F>(
  connection: Connection.Connection,
  { chunkBytes, expectedBytes, inspect, isUndone, resource, toError }: Settings<F>,
  name: string,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<{ readonly digests: Assembly.Digests; readonly stored: Resource.Stored }, E | F, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const assembly = yield* restore(Assembly.make(content, chunkBytes, expectedBytes))
      const memory = Assembly.memory()
      const piece = yield* restore(assembly.next(memory))
      /** Ends here where the upload was interrupted meanwhile. */
      const proceed = restore(Effect.void)

      const single = Effect.gen(function* () {
        const digests = assembly.digests()
        yield* Effect.andThen(inspect(digests), proceed)
        const insert = Objects.insert(connection, name, resource, piece.bytes, digests.md5)
        return { digests, stored: yield* Effect.mapError(insert, toError) }
      })

      const inPieces = Effect.gen(function* () {
        const session = yield* Effect.mapError(Resumable.begin(connection, name, resource), toError)
        return yield* Effect.gen(function* () {
          const last = yield* restore(Resumable.sendAll(connection, session, assembly, { piece, memory }, toError))
          const digests = assembly.digests()
          yield* Effect.andThen(inspect(digests), proceed)
          const finish = Resumable.finish(connection, session, last, digests.md5)
          return { digests, stored: yield* Effect.mapError(finish, toError) }
        }).pipe(Effect.onError(() => tidy(Resumable.cancel(connection, session))))
      })

      // Whether the service has taken the last request in cannot be known before it answers, so the answer is
      // waited for, and what stands then is removed if it is not wanted any more.
      yield* proceed
      const written = yield* piece.isLast ? single : inPieces
      const { generation } = written.stored
      const undo = () => tidy(Objects.remove(connection, name, generation))
      if (!isSame(written.digests, written.stored)) {
        yield* undo()
        const detail = "The service keeps other bytes than were sent."
        return yield* Effect.fail(toError(new GcsFailure.GcsFailure({ kind: "Damaged", detail })))
      }
      yield* isUndone ? Effect.onError(proceed, undo) : proceed
      return written
    }).pipe(Effect.scoped)
  )
