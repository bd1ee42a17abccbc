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
  /** What another service needs to work on the data of this one. */
  readonly stored: Omit<Stored, "largeBucket">
  /** Runs queries on the database directly. */
  readonly query: <A>(effect: Effect.Effect<A, SqlError, SqlClient>) => Effect.Effect<A, BenchFailure>
}

/** What the data of a service contain once the large bucket is filled. */
export interface Stored {
  readonly rootKey: string
  readonly attacker: Tenancy.Stored
  readonly neighbour: Tenancy.Stored
  /** The id of the file that the neighbour reads. */
  readonly file: string
  /** The id of the large bucket. */
  readonly largeBucket: string
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
  /** The data that the directory has already; an empty service is started when it is undefined. */
  readonly resumed?: { readonly database: Database.DatabaseInstance; readonly stored: Stored } | undefined
}

/** Creates the neighbour and the file that it reads. */
const createNeighbour = (service: HoldfastService.HoldfastService) =>
  Effect.gen(function* () {
    const neighbour = yield* Tenancy.make(service.holdfast, "neighbour")
    return { neighbour, file: yield* Tenancy.store({ ...service, tenancy: neighbour }, smallBytes) }
  })

const startService = ({ resumed }: Options, context: Parameters<typeof HoldfastService.start>[0]) =>
  Effect.gen(function* () {
    if (resumed === undefined) {
      const service = yield* HoldfastService.start(context, environment)
      return { service, ...(yield* createNeighbour(service)) }
    }
    const { database, stored } = resumed
    const { attacker: tenancy, file, rootKey } = stored
    const service = yield* HoldfastService.resume(context, environment, { database, rootKey, tenancy })
    return { service, file, neighbour: yield* Tenancy.resume(service.holdfast, stored.neighbour) }
  })

const storedTenancy = ({ bucketId, memberId, tenantId }: Tenancy.Tenancy): Tenancy.Stored => ({
  tenantId,
  memberId,
  bucketId
})

/** Starts a service in a directory. */
export const start = (options: Options): Effect.Effect<Site, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const { database, directory, profile, resumed, sizes } = options
    const runLoad = yield* LoadProcess.start({ log: join(directory, "load.log"), isLow: true })
    const { file, neighbour, service } = yield* startService(options, { directory, database, profile, runLoad })
    const url = (path: string) => `http://127.0.0.1:${service.port}${path}`
    const attacker = service.tenancy
    // The data of another service have the names and ids of its large bucket.
    let [names, ordinal] = resumed === undefined ? [0, 0] : [1, 1]
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
      largeBucket: yield* Effect.cached(
        resumed === undefined ? createFullBucket(sizes.files) : Effect.succeed(resumed.stored.largeBucket)
      ),
      stored: {
        rootKey: service.holdfast.rootKey,
        attacker: storedTenancy(attacker),
        neighbour: storedTenancy(neighbour),
        file
      },
      query
    }
  })
