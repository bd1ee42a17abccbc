/**
 * The operations whose costs are compared in a small and in a large bucket. `HOLDFAST_FILES` sets the two sizes.
 */
import { assert } from "vitest"
import type * as S3Server from "../s3/S3Server.ts"
import * as Sign from "../s3/Sign.ts"
import type * as TestServer from "../support/TestServer.ts"
import { type Fixture, type Row, rows, send } from "./PermissionTable.ts"

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
 * Returns the request of an operation, signed if it is one to the S3 API. Other operations change the name of the bucket.
 *
 * @param token The S3 credentials in the tenant of the fixture.
 */
export const prepare = async (
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
