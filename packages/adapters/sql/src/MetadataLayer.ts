/**
 * Every repository of the core, over one SqlClient.
 */
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Metadata } from "@holdfast/core/Holdfast"
import type { MetadataError } from "@holdfast/core/MetadataError"
import type { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import type { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import type { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as Access from "./access/SqlAccessRepository.ts"
import * as Accounts from "./accounts/SqlAccountRepository.ts"
import * as Buckets from "./buckets/SqlBucketRepository.ts"
import * as Files from "./files/SqlFileRepository.ts"
import * as Members from "./members/SqlMemberRepository.ts"
import { migrate } from "./migrations/Migrate.ts"
import * as MirrorTasks from "./mirrors/worker/SqlMirrorTaskRepository.ts"
import * as Mirrors from "./mirrors/SqlMirrorRepository.ts"
import * as Blobs from "./storage/SqlBlobRepository.ts"
import * as Conversions from "./conversions/SqlConversionRepository.ts"
import * as Tenants from "./tenants/SqlTenantRepository.ts"
import * as Tokens from "./tokens/SqlTokenRepository.ts"

/** The repositories that make up the metadata side: what the core's services need, and those of conversions and mirrors. */
export type Repositories = Metadata | ConversionRepository | MirrorRepository | MirrorTaskRepository

/** The repositories over a database that has the schema already: where migrations are run by a separate step. */
export const layerMigrated: Layer.Layer<Repositories, never, SqlClient> = Layer.mergeAll(
  Access.layer,
  Accounts.layer,
  Blobs.layer,
  Buckets.layer,
  Conversions.layer,
  Files.layer,
  Members.layer,
  Mirrors.layer,
  MirrorTasks.layer,
  Tenants.layer,
  Tokens.layer
)

/** The repositories; the migrations that the database lacks run first. */
export const layer: Layer.Layer<Repositories, MetadataError, SqlClient> = layerMigrated.pipe(
  Layer.provide(Layer.effectDiscard(migrate))
)

/**
 * A metadata store of its own: a client, and the repositories over it. Layers are shared by reference, so that
 * without this a second store in the same program would get the repositories of the first.
 */
export const layerFresh = <E>(
  client: Layer.Layer<SqlClient, E>
): Layer.Layer<Repositories | SqlClient, E | MetadataError> =>
  Layer.effectContext(Layer.build(Layer.fresh(Layer.provideMerge(layer, client))))
