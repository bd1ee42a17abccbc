import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { SqlError, UniqueViolation } from "effect/sql/SqlError"
import * as Constraint from "../src/internal/Constraint.ts"
import { operation } from "../src/SqlFailure.ts"

const violation = (constraint: string) =>
  new SqlError({ reason: new UniqueViolation({ cause: undefined, constraint }) })

/**
 * A statement that violates a unique index the first `violations` times. `lookUps` are the rows that are found after each
 * violation.
 */
const insert = (
  violations: number,
  lookUps: ReadonlyArray<ReadonlyArray<{ readonly id: string }>>,
  constraint = "file_place"
) => {
  let runs = 0
  let found = 0
  const statement = Effect.suspend(() =>
    runs++ < violations ? Effect.fail(violation(constraint)) : Effect.succeed("stored")
  )
  return Constraint.mapUniqueViolation({
    index: Constraint.filePlace,
    findExisting: Effect.sync(() => lookUps[found++] ?? []),
    toError: (id) => ({ _tag: "Taken" as const, id })
  })(statement)
}

describe("mapUniqueViolation", () => {
  it.effect("violation named by index (PostgreSQL) or by columns (SQLite) → error with the existing row's id", () =>
    Effect.gen(function* () {
      for (const constraint of ["file_place", "file.bucket_id, file.path, file.name"]) {
        const error = yield* Effect.flip(insert(1, [[{ id: "fil_1" }]], constraint))
        expect(error).toEqual({ _tag: "Taken", id: "fil_1" })
      }
    })
  )

  it.effect("existing row gone at the look-up → the statement runs once more", () =>
    Effect.gen(function* () {
      expect(yield* insert(1, [[]])).toBe("stored")
      expect(yield* Effect.flip(insert(2, [[], [{ id: "fil_2" }]]))).toEqual({ _tag: "Taken", id: "fil_2" })
    })
  )

  it.effect("existing row gone twice → MetadataError with reason Contention", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(operation("files.insert")(insert(2, [[], []])))
      expect(error).toMatchObject({ _tag: "MetadataError", reason: "Contention", isRetryable: true })
    })
  )

  it.effect("violation of another index → passes through", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(insert(1, [[{ id: "fil_1" }]], "file_alias"))
      expect(error).toEqual(violation("file_alias"))
    })
  )
})
