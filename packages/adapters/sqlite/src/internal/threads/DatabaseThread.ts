/**
 * The program of a thread that has a database open: it runs one statement after the other, and sends back the rows.
 */
import { parentPort, workerData } from "node:worker_threads"
import { open } from "../SqliteFile.ts"
import * as SqliteStatement from "../SqliteStatement.ts"
import type { Failure, Reply, Request, ThreadOptions } from "./Messages.ts"

const { file, isReader } = workerData as ThreadOptions
const database = open(file, { isReader })
const prepared = SqliteStatement.makeCache(database)

const run = ({ kind, params, sql }: Request): SqliteStatement.Result => {
  const entry = kind === "rows" || kind === "values" ? prepared(sql) : SqliteStatement.prepare(database, sql)
  if (kind === "values") return { names: undefined, rows: entry.values(params) }
  if (kind === "raw") return { names: undefined, rows: [SqliteStatement.raw(entry, params)] }
  return entry.result(params)
}

const toFailure = (thrown: unknown): Failure =>
  thrown instanceof Error
    ? { message: thrown.message, ...("errcode" in thrown ? { errcode: thrown.errcode } : {}) }
    : { message: String(thrown) }

const attempt = (request: Request): Reply => {
  try {
    return { id: request.id, result: run(request), isTransaction: database.isTransaction }
  } catch (error) {
    return { id: request.id, failure: toFailure(error), isTransaction: database.isTransaction }
  }
}

parentPort?.on("message", (request: Request) => {
  if (request.kind === "close") {
    database.close()
    parentPort?.close()
  } else parentPort?.postMessage(attempt(request), [])
})
