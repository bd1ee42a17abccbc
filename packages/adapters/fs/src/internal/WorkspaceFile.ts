/**
 * Writes a stream to a new file that need not be durable.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import type * as DiskReserve from "../DiskReserve.ts"
import * as Durable from "./Durable.ts"
import * as FsCall from "./FsCall.ts"

const open = (path: string) => FsCall.call<number>((done) => Fs.open(path, "wx", Durable.fileMode, done))

/** Writes a chunk. One call may write fewer bytes than it gets. */
const write = (descriptor: number, chunk: Uint8Array): Effect.Effect<void, FsCall.ErrnoError> =>
  Effect.suspend(() =>
    chunk.length === 0
      ? Effect.void
      : Effect.flatMap(
          FsCall.call<number>((done) => Fs.write(descriptor, chunk, done)),
          (count) => write(descriptor, chunk.subarray(count))
        )
  )

/** Writes a content chunk by chunk, so that memory does not grow with it. `path` must not exist. */
export const writeFile = <E, R, E2>(
  path: string,
  content: Stream.Stream<Uint8Array, E, R>,
  reserve: DiskReserve.DiskReserve,
  toError: (error: FsCall.ErrnoError) => E2
): Effect.Effect<void, E | E2, R> =>
  Effect.acquireUseRelease(
    Effect.mapError(open(path), toError),
    (descriptor) =>
      Stream.runForEach(content, (chunk) =>
        Effect.mapError(
          Effect.flatMap(reserve.claim(chunk.length), () => write(descriptor, chunk)),
          toError
        )
      ),
    (descriptor) =>
      Effect.mapError(
        FsCall.call<void>((done) => Fs.close(descriptor, (error) => done(error ?? null, undefined))),
        toError
      )
  )
