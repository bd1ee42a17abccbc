/**
 * A small and a large bucket, and the operations whose costs are compared in them. `HOLDFAST_FILES` sets the two sizes.
 */
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import type { SqlClient } from "effect/sql/SqlClient"
import { assert } from "vitest"
import * as S3Server from "../s3/S3Server.ts"
import * as Sign from "../s3/Sign.ts"
import type * as TestServer from "../support/TestServer.ts"
import { type Fixture, makeFixture, makeRecords, type Row, rows, send } from "./PermissionTable.ts"

/** The sizes that `HOLDFAST_FILES` sets; empty without it. */
export const givenSizes: ReadonlyArray<number> = (process.env["HOLDFAST_FILES"] ?? "")
  .split(",")
  .flatMap((text) => Number(text) || [])

const filters = [
  "type=VIDEO",
  "type=OTHER",
  "state=RESERVED",
  "recursive=true&type=VIDEO",
  "recursive=true&state=RESERVED",
  "recursive=true&state=READY&name=zzz",
  "recursive=true&name=zzz",
  "recursive=true&name=file-1",
  "path=/flat/",
  "path=/flat/&type=VIDEO",
  "path=/flat/&name=zzz",
  "path=/tree/"
]

const mirrorFilters = ["", "state=PENDING", "state=FAILED"]

const eventFilters = ["", "order=OLDEST_FIRST", "action=none", "outcome=REFUSED"]

/** Queries of the S3 API's lists of keys. */
const keyFilters = [
  "",
  "&prefix=tree/1",
  "&delimiter=/",
  "&prefix=tree/&delimiter=/",
  "&start-after=flat/file-2",
  "&prefix=zzz"
]

const bucketPath = "/tenants/:tenantId/buckets/:bucketId"
const base = ({ bucketId, tenantId }: Fixture) => `/tenants/${tenantId}/buckets/${bucketId}`

export type Operation = Pick<Row, "route" | "request">

export const lists: ReadonlyArray<Operation> = [
  ...filters.map((filter) => ({
    route: `GET ${bucketPath}/files?${filter}`,
    request: (f: Fixture) => ({ path: `${base(f)}/files?${filter}` })
  })),
  ...mirrorFilters.map((filter) => ({
    route: `GET ${bucketPath}/mirrors/:mirrorId/files?${filter}`,
    request: (f: Fixture) => ({ path: `${base(f)}/mirrors/${f.mirrorId}/files?${filter}` })
  })),
  ...eventFilters.map((filter) => ({
    route: `GET /tenants/:tenantId/events?${filter}`,
    request: (f: Fixture) => ({ path: `/tenants/${f.tenantId}/events?${filter}` })
  })),
  ...keyFilters.map((filter) => ({
    route: `GET /s3/BUCKET?list-type=2${filter}`,
    request: () => ({ path: `?list-type=2${filter}` })
  }))
]

export const mirrorReads = rows.filter(({ route }) => /^GET .*\/mirrors(\/:mirrorId)?$/.test(route))

/** The operations that remove what the others need. */
const removals = new Set([`DELETE ${bucketPath}`, `DELETE ${bucketPath}/mirrors/:mirrorId`])

const forced: Operation = {
  route: `DELETE ${bucketPath}?force=true`,
  request: (f) => ({ path: `${base(f)}?force=true` })
}

export const operations = [
  ...rows.filter(({ route }) => !removals.has(route)),
  ...lists,
  ...rows.filter(({ route }) => removals.has(route)),
  forced
]

/** Returns how many times what is read may grow, beside a constant number: from a million files on, an index is hardly any deeper. */
export const ratioFrom = (small: number): number => (small >= 1_000_000 ? 1.3 : 1.5)

/**
 * Inserts files, with their contents and events. Half of them are in one folder, the others in a hundred.
 *
 * @param size The number of files that the bucket will have: no two buckets of a database may have the same.
 * @param numbers A common table expression `numbers (n)`: the numbers of the files to insert, from 1.
 */
export const insertFiles = (sql: SqlClient, { bucketId, tenantId }: Fixture, size: number, numbers: Fragment) =>
  Effect.gen(function* () {
    const id = sql.literal(`substr(CAST(1000000000000 + ${size} + n AS text), 2)`)
    yield* sql`INSERT INTO blob (id, tenant_id, bucket_id, state, size, sha256, file_id, created_at) ${numbers}
      SELECT 'blb_' || ${id}, ${tenantId}, ${bucketId}, 'READY', 1, 'x', 'fil_' || ${id}, 0 FROM numbers`
    yield* sql`INSERT INTO file (id, tenant_id, bucket_id, path, name, version, metadata, headers, created_at,
        updated_at, blob_id, size, sha256, etag, content_type, type, stored_at) ${numbers}
      SELECT 'fil_' || ${id}, ${tenantId}, ${bucketId}, CASE WHEN n % 2 = 0 THEN '/flat/' ELSE
        '/tree/' || (n % 100) || '/' END, 'file-' || n, 1, '{}', '[]', 0, 0, 'blb_' || ${id}, 1, 'x', 'x',
        'text/plain', 'OTHER', 0 FROM numbers`
    yield* sql`INSERT INTO event (tenant_id, id, action, actor, detail) ${numbers}
      SELECT ${tenantId}, 'evt_' || ${id}, 'file.created', 'SYSTEM', '{}' FROM numbers`
  })

/** Checks that the files of a bucket are pending in its mirror. */
export const expectTasks = (sql: SqlClient, { mirrorId }: Fixture, count: number) =>
  Effect.map(sql`SELECT file_id FROM mirror_task WHERE mirror_id = ${mirrorId} LIMIT ${count}`, (tasks) =>
    assert.isAtLeast(tasks.length, count)
  )

/** Makes the request of an operation, signed if it is one to the S3 API. Other operations change the name of the bucket. */
const makeRequest = async (
  server: TestServer.TestServer,
  operation: Operation,
  fixture: Fixture,
  token: S3Server.S3Token
): Promise<() => Promise<Response>> => {
  const { bucketId, tenantId } = fixture
  if (!operation.route.startsWith("GET /s3/")) return () => send(server, operation, fixture, server.rootKey)
  const found = await server.get(`/tenants/${tenantId}/buckets/${bucketId}`)
  const { name } = (await found.json()) as { readonly name: string }
  const address = `${server.url}/s3/${encodeURIComponent(name)}${operation.request(fixture).path}`
  const { headers, url } = Sign.sign(address, token)
  return async () => {
    const response = await fetch(url, { headers })
    assert.strictEqual(response.status, 200)
    return response
  }
}

export interface Prepared {
  readonly bucketId: string
  /** Sends the request, reads its answer, and returns the status. */
  readonly send: () => Promise<number>
}

export interface Buckets {
  /** Creates the records that an operation needs in the bucket of a size, and its request. */
  readonly prepare: (operation: Operation, size: number) => Promise<Prepared>
}

/**
 * Creates a bucket of each size, in a tenant of its own.
 *
 * @param fill Adds files to a bucket until it has the size.
 */
export const make = async (
  server: TestServer.TestServer,
  sizes: ReadonlyArray<number>,
  fill: (fixture: Fixture, size: number) => Promise<void>
): Promise<Buckets> => {
  const buckets = new Map<number, { readonly fixture: Fixture; readonly token: S3Server.S3Token }>()
  for (const size of sizes) {
    const fixture = await makeFixture(server)
    buckets.set(size, { fixture, token: await S3Server.makeToken(server, fixture.tenantId) })
    await fill(fixture, size)
  }
  return {
    prepare: async (operation, size) => {
      const bucket = buckets.get(size)
      assert.isDefined(bucket)
      const fixture = { ...bucket.fixture, ...(await makeRecords(server, bucket.fixture)) }
      const request = await makeRequest(server, operation, fixture, bucket.token)
      const sendAndRead = async () => {
        const response = await request()
        await response.body?.cancel()
        assert.isBelow(response.status, 500)
        return response.status
      }
      return { bucketId: fixture.bucketId, send: sendAndRead }
    }
  }
}
