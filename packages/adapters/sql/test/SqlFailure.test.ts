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

const table: ReadonlyArray<readonly [what: string, reason: SqlError.SqlErrorReason, expected: Reason]> = [
  ["a lost connection", new SqlError.ConnectionError({ cause: undefined }), "Unavailable"],
  ["a server that is shut down by its operator", sqlState("57P01"), "Unavailable"],
  ["a server that recovers from a crash", sqlState("57P02"), "Unavailable"],
  ["a server that starts", sqlState("57P03"), "Unavailable"],
  ["a server without a connection to spare", sqlState("53300"), "Unavailable"],
  ["a server out of memory", sqlState("53200"), "Unavailable"],
  ["a server that became a standby", sqlState("25006"), "Unavailable"],
  ["a statement that took too long", new SqlError.StatementTimeoutError({ cause: undefined }), "Unavailable"],
  ["a lock that was not got in time", new SqlError.LockTimeoutError({ cause: undefined }), "Unavailable"],
  ["SQLITE_BUSY", sqlite(5), "Unavailable"],
  ["SQLITE_BUSY_SNAPSHOT", sqlite(517), "Unavailable"],
  ["SQLITE_IOERR_WRITE", sqlite(778), "Unavailable"],
  ["SQLITE_PROTOCOL", sqlite(15), "Unavailable"],
  ["SQLITE_CANTOPEN", sqlite(14), "Unavailable"],
  ["a deadlock", new SqlError.DeadlockError({ cause: undefined }), "Contention"],
  ["a serialisation failure", new SqlError.SerializationError({ cause: undefined }), "Contention"],
  ["a transaction that was rolled back for another reason", sqlState("40002"), "Contention"],
  ["a full disk of PostgreSQL", sqlState("53100"), "StorageFull"],
  ["SQLITE_FULL", sqlite(13), "StorageFull"],
  ["SQLITE_IOERR_SHMSIZE", sqlite(4874), "StorageFull"],
  ["SQLITE_CORRUPT", sqlite(11), "Internal"],
  ["SQLITE_READONLY", sqlite(8), "Internal"],
  ["bytes that are no UTF-8", sqlState("22021"), "Internal"],
  ["a wrong password", new SqlError.AuthenticationError({ cause: { code: "28P01" } }), "Internal"],
  ["a syntax error", new SqlError.SqlSyntaxError({ cause: { code: "42601" } }), "Internal"],
  ["a constraint that no method expects", new SqlError.ConstraintError({ cause: { code: "23514" } }), "Internal"],
  ["anything else", unknown(new Error("x")), "Internal"]
]

const failWith = <E>(error: E) => Effect.flip(SqlFailure.operation("files.find")(Effect.fail(error)))

describe("SqlFailure", () => {
  it.effect.each(table)("%s", ([, reason, expected]) =>
    Effect.gen(function* () {
      const failure = new SqlError.SqlError({ reason })
      const error = yield* failWith(failure)
      expect(error).toMatchObject({ _tag: "MetadataError", operation: "files.find", reason: expected, cause: failure })
      expect(error.isRetryable).toBe(expected === "Unavailable" || expected === "Contention")
    })
  )

  it.effect("a row that cannot be read is a failure, not a defect", () =>
    Effect.gen(function* () {
      const error = yield* failWith(new SqlFailure.RowFault({ column: "size" }))
      expect(error).toMatchObject({ _tag: "MetadataError", reason: "Internal" })
    })
  )

  it.effect("errors of the domain and defects pass", () =>
    Effect.gen(function* () {
      expect(yield* failWith("refused" as const)).toBe("refused")
      const exit = yield* Effect.exit(SqlFailure.operation("files.find")(Effect.die("bug")))
      expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    })
  )
})
