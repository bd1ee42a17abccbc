/**
 * Temporary directories, on a disk with room.
 */
import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { attempt, BenchFailure } from "./BenchFailure.ts"

const gib = (bytes: number): string => (bytes / 1024 ** 3).toFixed(1)

/** A directory that is gone with the scope. Fails where its disk has less free space than this. */
export const make = (
  parent: string | undefined,
  spaceNeeded: number
): Effect.Effect<string, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const place = parent ?? tmpdir()
    yield* attempt(`The directory ${place}`, () => mkdir(place, { recursive: true }))
    const { bavail, bsize } = yield* attempt(`The free space of ${place}`, () => statfs(place))
    if (bavail * bsize < spaceNeeded) {
      return yield* new BenchFailure({
        message:
          `${place} has ${gib(bavail * bsize)} GiB free, but ${gib(spaceNeeded)} GiB are needed: ` +
          "choose another directory with --directory, or --quick."
      })
    }
    return yield* scratch(join(place, "holdfast-bench-"))
  })

const remove = (path: string): Effect.Effect<void> =>
  Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 3 }))

/** A fresh directory whose path begins with this; gone with the scope. */
export const scratch = (prefix: string): Effect.Effect<string, BenchFailure, Scope.Scope> =>
  Effect.acquireRelease(
    attempt("A temporary directory", () => mkdtemp(prefix)),
    remove
  )
