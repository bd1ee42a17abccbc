/**
 * The layer of all repositories, over one SqlClient.
 */
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Metadata } from "@holdfast/core/Holdfast"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as Access from "./internal/access/SqlAccessRepository.ts"
import * as Accounts from "./internal/accounts/SqlAccountRepository.ts"
import * as Buckets from "./internal/buckets/SqlBucketRepository.ts"
import * as Removals from "./internal/buckets/SqlRemovalRepository.ts"
import * as Deployment from "./internal/deployment/SqlDeploymentRepository.ts"
import * as Events from "./internal/events/SqlEventRepository.ts"
import * as Files from "./internal/files/SqlFileRepository.ts"
import * as Folders from "./internal/folders/SqlFolderRepository.ts"
import * as Damages from "./internal/integrity/SqlDamageRepository.ts"
import * as Scrubs from "./internal/integrity/SqlScrubRepository.ts"
import * as HookTasks from "./internal/hooks/SqlHookTaskRepository.ts"
import * as Members from "./internal/members/SqlMemberRepository.ts"
import { migrate } from "./migrations/Migrate.ts"
import * as MirrorTasks from "./internal/mirrors/worker/SqlMirrorTaskRepository.ts"
import * as Mirrors from "./internal/mirrors/SqlMirrorRepository.ts"
import * as Posters from "./internal/posters/SqlPosterRepository.ts"
import * as Quotas from "./internal/quotas/SqlQuotaRepository.ts"
import * as Shares from "./internal/shares/SqlShareRepository.ts"
import * as Blobs from "./internal/storage/SqlBlobRepository.ts"
import * as Captions from "./internal/captions/SqlCaptionRepository.ts"
import * as Conversions from "./internal/conversions/SqlConversionRepository.ts"
import * as Tenants from "./internal/tenants/SqlTenantRepository.ts"
import * as Tokens from "./internal/tokens/SqlTokenRepository.ts"
import * as Uploads from "./internal/uploads/SqlUploadRepository.ts"
import * as Usage from "./internal/usage/SqlUsageRepository.ts"
import * as Deliveries from "./internal/webhooks/SqlDeliveryRepository.ts"
import * as Webhooks from "./internal/webhooks/SqlWebhookRepository.ts"

/** The repositories over a database whose schema is current, for deployments that run migrations in a separate step. */
export const layerMigrated: Layer.Layer<Metadata, never, SqlClient> = Layer.mergeAll(
  Access.layer,
  Accounts.layer,
  Blobs.layer,
  Buckets.layer,
  Captions.layer,
  Conversions.layer,
  Deployment.layer,
  Events.layer,
  Damages.layer,
  Scrubs.layer,
  Files.layer,
  Folders.layer,
  HookTasks.layer,
  Members.layer,
  Mirrors.layer,
  Posters.layer,
  Quotas.layer,
  Removals.layer,
  Shares.layer,
  MirrorTasks.layer,
  Tenants.layer,
  Tokens.layer,
  Uploads.layer,
  Usage.layer,
  Webhooks.layer,
  Deliveries.layer
)

export interface Options {
  /** Runs first; `migrate` when absent. An adapter whose client has timeouts runs `migrate` on a client without them. */
  readonly migration?: Effect.Effect<unknown, MetadataError, SqlClient> | undefined
  /** Provides `StoreTime`; without it, the repositories have the time of their callers. */
  readonly time?: Layer.Layer<never, MetadataError, SqlClient> | undefined
}

/**
 * A client and the repositories over it, built anew for each use of the layer. Layers are shared by reference: without
 * `Layer.fresh`, a second database in the same program would get the repositories of the first one.
 */
export const layerFresh = <E>(
  client: Layer.Layer<SqlClient, E>,
  { migration = migrate, time = Layer.empty }: Options = {}
): Layer.Layer<Metadata | SqlClient, E | MetadataError> => {
  const store = Layer.provide(Layer.merge(layerMigrated, time), Layer.effectDiscard(migration))
  return Layer.effectContext(Layer.build(Layer.fresh(Layer.provideMerge(store, client))))
}
