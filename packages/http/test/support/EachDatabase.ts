/**
 * Tests that run with SQLite and with PostgreSQL.
 */
import * as PostgresMetadata from "@holdfast/postgres/PostgresMetadata"
import * as Requires from "@holdfast/testing/Requires"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe } from "vitest"
import * as Database from "./Database.ts"
import * as TestServer from "./TestServer.ts"

type Start = (
  options: TestServer.Options
) => Promise<{ readonly server: TestServer.TestServer; readonly close: () => Promise<void> }>

const onSqlite: Start = async (options) => {
  const server = await TestServer.start(options)
  return { server, close: server.close }
}

const onPostgres: Start = async (options) => {
  const database = await Database.start()
  const url = Redacted.make(await database.create())
  const server = await TestServer.start({ ...options, metadata: PostgresMetadata.layer({ url }) })
  const close = async () => {
    await server.close()
    await database.close()
  }
  return { server, close }
}

/** Declares the tests of `declare` twice. They use the server that `current` returns, which runs while they do. */
export const describeEach = (
  subject: string,
  declare: (current: () => TestServer.TestServer) => void,
  options: TestServer.Options = {}
): void => {
  const suite = (start: Start) => () => {
    let running: Awaited<ReturnType<Start>>
    beforeAll(async () => void (running = await start(options)), 60_000)
    afterAll(() => running.close())
    declare(() => running.server)
  }
  describe(`${subject} on SQLite`, suite(onSqlite))
  Requires.requires(Database.missing).describe(`${subject} on PostgreSQL`, suite(onPostgres))
}
