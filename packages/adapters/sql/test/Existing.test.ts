import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SqlError, UniqueViolation } from "effect/sql/SqlError"
import * as Constraint from "../src/Constraint.ts"
import { orTaken } from "../src/Existing.ts"
import { operation } from "../src/SqlFailure.ts"

const violation = (constraint: string) =>
  new SqlError({ reason: new UniqueViolation({ cause: undefined, constraint }) })

/** A statement that is refused the first times, with the rows that are found after each refusal. */
const scene = (
  refusals: number,
  found: ReadonlyArray<ReadonlyArray<{ readonly id: string }>>,
  constraint = "file_place"
) => {
  let runs = 0
  let lookUps = 0
  const statement = Effect.suspend(() =>
    runs++ < refusals ? Effect.fail(violation(constraint)) : Effect.succeed("stored")
  )
  const existing = Effect.sync(() => found[lookUps++] ?? [])
  return orTaken(Constraint.filePlace, existing, (id) => ({ _tag: "Taken" as const, id }))(statement)
}

describe("orTaken", () => {
  it.effect("tells the row that stands in the way, as either database names the index", () =>
    Effect.gen(function* () {
      for (const constraint of ["file_place", "file.bucket_id, file.path, file.name"]) {
        const error = yield* Effect.flip(scene(1, [[{ id: "fil_1" }]], constraint))
        expect(error).toEqual({ _tag: "Taken", id: "fil_1" })
      }
    })
  )

  it.effect("runs the statement once more when that row is gone", () =>
    Effect.gen(function* () {
      expect(yield* scene(1, [[]])).toBe("stored")
      expect(yield* Effect.flip(scene(2, [[], [{ id: "fil_2" }]]))).toEqual({ _tag: "Taken", id: "fil_2" })
    })
  )

  it.effect("gives up as a loss against concurrent changes when it is gone again", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(operation("files.insert")(scene(2, [[], []])))
      expect(error).toMatchObject({ _tag: "MetadataError", reason: "Contention", isRetryable: true })
    })
  )

  it.effect("leaves violations of other indexes alone", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(scene(1, [[{ id: "fil_1" }]], "file_alias"))
      expect(error).toEqual(violation("file_alias"))
    })
  )
})
