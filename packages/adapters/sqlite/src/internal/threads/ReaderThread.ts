/**
 * The program of a thread that reads a database: it runs one statement after the other, and sends back the rows.
 */
import { parentPort, workerData } from "node:worker_threads"
import { open } from "../SqliteFile.ts"
import * as SqliteStatement from "../SqliteStatement.ts"
import type { Failure, Reply, Request, ThreadOptions } from "./Messages.ts"

const { file } = workerData as ThreadOptions
const database = open(file, { isReader: true })
const prepared = SqliteStatement.makeCache(database)

const run = ({ kind, params, sql }: Request): SqliteStatement.Result => {
  const entry = kind === "rows" ? prepared(sql) : SqliteStatement.prepare(database, sql)
  return kind === "values"
    ? { names: undefined, rows: SqliteStatement.values(entry.statement, params) }
    : entry.result(params)
}

const toFailure = (thrown: unknown): Failure =>
  thrown instanceof Error
    ? { message: thrown.message, ...("errcode" in thrown ? { errcode: thrown.errcode } : {}) }
    : { message: String(thrown) }

const attempt = (request: Request): Reply => {
  try {
    return { id: request.id, result: run(request) }
  } catch (error) {
    return { id: request.id, failure: toFailure(error) }
  }
}

parentPort?.on("message", (request: Request) => {
  if (request.kind === "close") {
    database.close()
    parentPort?.close()
  } else parentPort?.postMessage(attempt(request), [])
})
