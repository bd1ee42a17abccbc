/**
 * A tenant of the service, with one bucket and an API token, and the requests that are measured on them.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Api from "./Api.ts"
import type { BenchFailure } from "./BenchFailure.ts"
import type { Holdfast } from "./HoldfastProcess.ts"
import type { Load } from "./Load.ts"
import * as Requests from "./Requests.ts"

export interface Tenancy {
  readonly tenantId: string
  readonly bucketId: string
  /** The path and query of something in the tenant, with its key: `path("buckets/…/files", "limit=100")`. */
  readonly path: (below: string, query?: string) => string
  /** Something about the bucket's files: `files(id, "/view")`. */
  readonly files: (below: string) => string
  readonly createBucket: (name: string) => Effect.Effect<string, BenchFailure>
  /** A file without content. */
  readonly reserve: (name: string) => Effect.Effect<string, BenchFailure>
}

const Created = Schema.Struct({ id: Schema.String })
const CreatedTenant = Schema.Struct({ id: Schema.String, member: Schema.Struct({ id: Schema.String }) })
const CreatedToken = Schema.Struct({ key: Schema.String })

/** Makes a tenant in an empty service. The token is its Admin's. */
export const make = (holdfast: Holdfast): Effect.Effect<Tenancy, BenchFailure> =>
  Effect.gen(function* () {
    const base = "/api/v1/tenants"
    const origin = `http://127.0.0.1:${holdfast.port}`
    const root = (path: string) => `${origin}${base}${path}?apiKey=${holdfast.rootKey}`
    const tenant = yield* Api.post(CreatedTenant, root(""), { name: "Bench", subdomain: "bench" })
    const token = yield* Api.post(CreatedToken, root(`/${tenant.id}/tokens`), {
      name: "bench",
      member: { id: tenant.member.id },
      expiresAt: new Date(Date.now() + 86_400_000).toISOString()
    })
    const path = (below: string, query = "") =>
      `${base}/${tenant.id}/${below}?${query === "" ? "" : `${query}&`}apiKey=${token.key}`
    const create = (below: string, body: unknown) =>
      Effect.map(Api.post(Created, `${origin}${path(below)}`, body), ({ id }) => id)
    const createBucket = (name: string) => create("buckets", { name })
    const bucketId = yield* createBucket("bench")
    return {
      tenantId: tenant.id,
      bucketId,
      path,
      files: (below) => path(`buckets/${bucketId}/files${below}`),
      createBucket,
      reserve: (name) => create(`buckets/${bucketId}/files`, { name, path: "/" })
    }
  })

/** A file without content for each of so many connections, so that they do not wait for each other. */
export const reserveEach = ({ reserve }: Tenancy, count: number): Effect.Effect<ReadonlyArray<string>, BenchFailure> =>
  Effect.forEach(Array.from({ length: count }).keys(), (n) => reserve(`small-${n}.bin`))

/** A file with content of this size. */
export const store = (
  load: Load,
  holdfast: Holdfast,
  tenancy: Tenancy,
  bytes: number
): Effect.Effect<string, BenchFailure> =>
  Effect.gen(function* () {
    const id = yield* tenancy.reserve("stored.bin")
    const requests = [Requests.postBytes(tenancy.files(`/${id}/reupload`), bytes)]
    yield* load({ port: holdfast.port, requests, connections: 1, count: 1, status: 200, firstNumber: 0 })
    return id
  })
