import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as SqlError from "effect/sql/SqlError"
import type { Reason } from "@holdfast/core/MetadataError"
import * as SqlFailure from "../src/SqlFailure.ts"

const unknown = (cause: unknown) => new SqlError.UnknownError({ cause })
const sqlState = (code: string) => unknown({ code })
const sqlite = (errno: number) => SqlError.classifySqliteError(Object.assign(new Error("x"), { errno }))

const table: ReadonlyArray<readonly [name: string, reason: SqlError.SqlErrorReason, expected: Reason]> = [
  ["lost connection", new SqlError.ConnectionError({ cause: undefined }), "Unavailable"],
  ["server is shut down by its operator", sqlState("57P01"), "Unavailable"],
  ["server recovers from a crash", sqlState("57P02"), "Unavailable"],
  ["server is starting", sqlState("57P03"), "Unavailable"],
  ["server ended a transaction that was idle", sqlState("25P03"), "Unavailable"],
  ["server has no free connection", sqlState("53300"), "Unavailable"],
  ["server is out of memory", sqlState("53200"), "Unavailable"],
  ["server became a standby", sqlState("25006"), "Unavailable"],
  ["statement timeout", new SqlError.StatementTimeoutError({ cause: undefined }), "Timeout"],
  ["lock timeout", new SqlError.LockTimeoutError({ cause: undefined }), "Timeout"],
  ["SQLITE_BUSY", sqlite(5), "Timeout"],
  ["SQLITE_BUSY_SNAPSHOT", sqlite(517), "Timeout"],
  ["SQLITE_IOERR_WRITE", sqlite(778), "Unavailable"],
  ["SQLITE_PROTOCOL", sqlite(15), "Unavailable"],
  ["SQLITE_CANTOPEN", sqlite(14), "Unavailable"],
  ["deadlock", new SqlError.DeadlockError({ cause: undefined }), "Contention"],
  ["serialisation failure", new SqlError.SerializationError({ cause: undefined }), "Contention"],
  ["transaction rolled back for another reason", sqlState("40002"), "Contention"],
  ["full disk of PostgreSQL", sqlState("53100"), "StorageFull"],
  ["SQLITE_FULL", sqlite(13), "StorageFull"],
  ["SQLITE_IOERR_SHMSIZE", sqlite(4874), "StorageFull"],
  ["SQLITE_CORRUPT", sqlite(11), "Internal"],
  ["SQLITE_READONLY", sqlite(8), "Internal"],
  ["invalid UTF-8", sqlState("22021"), "Internal"],
  ["wrong password", new SqlError.AuthenticationError({ cause: { code: "28P01" } }), "Internal"],
  ["syntax error", new SqlError.SqlSyntaxError({ cause: { code: "42601" } }), "Internal"],
  [
    "violation of a constraint that no method handles",
    new SqlError.ConstraintError({ cause: { code: "23514" } }),
    "Internal"
  ],
  ["unknown error", unknown(new Error("x")), "Internal"]
]

const failWith = <E>(error: E) => Effect.flip(SqlFailure.operation("files.find")(Effect.fail(error)))

describe("SqlFailure", () => {
  it.effect.each(table)("operation: %s → MetadataError with its reason", ([, reason, expected]) =>
    Effect.gen(function* () {
      const failure = new SqlError.SqlError({ reason })
      const error = yield* failWith(failure)
      expect(error).toMatchObject({ _tag: "MetadataError", operation: "files.find", reason: expected, cause: failure })
      expect(error.isRetryable).toBe(expected === "Unavailable" || expected === "Timeout" || expected === "Contention")
    })
  )

  it.effect("operation: RowFault → MetadataError with reason Internal", () =>
    Effect.gen(function* () {
      const error = yield* failWith(new SqlFailure.RowFault({ column: "size" }))
      expect(error).toMatchObject({ _tag: "MetadataError", reason: "Internal" })
    })
  )

  it.effect("operation: domain error or defect → passes through", () =>
    Effect.gen(function* () {
      expect(yield* failWith("refused" as const)).toBe("refused")
      const exit = yield* Effect.exit(SqlFailure.operation("files.find")(Effect.die("bug")))
      expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    })
  )
})
