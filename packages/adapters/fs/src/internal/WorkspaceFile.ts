/**
 * Writes a stream to a new file that need not be durable.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import type * as DiskReserve from "../DiskReserve.ts"
import * as Durable from "./Durable.ts"
import * as FsCall from "./FsCall.ts"
import * as WriteAll from "./WriteAll.ts"

const open = (path: string) => FsCall.call<number>((done) => Fs.open(path, "wx", Durable.fileMode, done))

const write = (descriptor: number, chunk: Uint8Array): Effect.Effect<void, FsCall.ErrnoError> =>
  FsCall.call<void>((done) => WriteAll.writeAll(WriteAll.kernel, descriptor, [chunk], chunk.length, done))

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
