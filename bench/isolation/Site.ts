/**
 * A running service with two tenants: the attacker, and the neighbour that reads a file.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Database from "../support/fixtures/Database.ts"
import * as HoldfastService from "../support/fixtures/HoldfastService.ts"
import * as Seed from "../support/fixtures/Seed.ts"
import { smallBytes } from "../support/fixtures/Sizes.ts"
import * as Tenancy from "../support/fixtures/Tenancy.ts"
import * as LoadProcess from "../support/load/LoadProcess.ts"
import type { BenchFailure } from "../support/run/BenchFailure.ts"
import type { Sizes } from "./Sizes.ts"

export interface Site {
  readonly service: HoldfastService.HoldfastService
  readonly database: Database.Database
  readonly sizes: Sizes
  /** Empty at first. */
  readonly directory: string
  /** URL of the file that the neighbour reads, with the neighbour's key. */
  readonly neighbourView: string
  readonly attacker: Tenancy.Tenancy
  /** Returns the URL for a path of `attacker`. */
  readonly url: (path: string) => string
  /** Creates a file of the attacker with a content of this size. Returns its id. */
  readonly store: (bytes: number) => Effect.Effect<string, BenchFailure>
  /** Returns a name that no other call returns. */
  readonly uniqueName: (prefix: string) => string
  /** Creates a tenant with a bucket. */
  readonly createTenancy: Effect.Effect<Tenancy.Tenancy, BenchFailure>
  /** Creates a bucket of the attacker with this number of files, which have no bytes. Returns its id. */
  readonly createFullBucket: (files: number) => Effect.Effect<string, BenchFailure>
  /** Inserts rows of files into buckets. */
  readonly seed: (buckets: ReadonlyArray<Omit<Seed.Bucket, "ordinal">>) => Effect.Effect<void, BenchFailure>
  /** The id of a bucket of the attacker with the largest number of files. It is filled when it is first needed. */
  readonly largeBucket: Effect.Effect<string, BenchFailure>
  /** Runs queries on the database directly. */
  readonly query: <A>(effect: Effect.Effect<A, SqlError, SqlClient>) => Effect.Effect<A, BenchFailure>
}

/** Contents are removed soon after they are deleted, so that the sweeper works during the operations. */
const environment = {
  HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on",
  HOLDFAST_BLOB_GRACE: "1s",
  HOLDFAST_SWEEP_INTERVAL: "1s",
  HOLDFAST_ACCESS_LOG: "off"
}

export interface Options {
  readonly directory: string
  readonly database: Database.Database
  readonly sizes: Sizes
  readonly profile: string | undefined
}

/** Starts a service in a directory. */
export const start = ({
  database,
  directory,
  profile,
  sizes
}: Options): Effect.Effect<Site, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const runLoad = yield* LoadProcess.start(join(directory, "load.log"))
    const service = yield* HoldfastService.start({ directory, database, profile, runLoad }, environment)
    const neighbour = yield* Tenancy.make(service.holdfast, "neighbour")
    const file = yield* Tenancy.store({ ...service, tenancy: neighbour }, smallBytes)
    const url = (path: string) => `http://127.0.0.1:${service.port}${path}`
    const attacker = service.tenancy
    let [names, ordinal] = [0, 0]
    const uniqueName = (prefix: string) => `${prefix}-${names++}`
    const query: Site["query"] = (effect) => Database.query(service.database, effect)
    const seed: Site["seed"] = (all) =>
      Effect.suspend(() => query(Seed.seed(all.map((bucket) => ({ ...bucket, ordinal: ordinal++ })))))
    const createFullBucket: Site["createFullBucket"] = (files) =>
      Effect.gen(function* () {
        const bucketId = yield* attacker.createBucket(uniqueName("full"))
        yield* seed([{ tenantId: attacker.tenantId, bucketId, files }])
        return bucketId
      })
    return {
      service,
      database,
      sizes,
      directory,
      neighbourView: url(neighbour.files(`/${file}/view`)),
      attacker,
      url,
      uniqueName,
      store: (bytes) => Tenancy.store({ ...service, tenancy: attacker }, bytes, uniqueName("stored")),
      createTenancy: Effect.suspend(() => Tenancy.make(service.holdfast, uniqueName("tenant"))),
      createFullBucket,
      seed,
      largeBucket: yield* Effect.cached(createFullBucket(sizes.files)),
      query
    }
  })
