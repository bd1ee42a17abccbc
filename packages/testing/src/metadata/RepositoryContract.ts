/**
 * The contract suite of a metadata store: tests for every documented guarantee of the repository ports.
 *
 * @example
 *   RepositoryContract.suite("SQLite in memory", SqliteMetadata.layer({ file: ":memory:" }))
 */
import { describe, layer, vi } from "@effect/vitest"
import type * as Layer from "effect/Layer"
import { accessContract } from "./internal/AccessContract.ts"
import { accountContract } from "./internal/AccountContract.ts"
import { blobContract } from "./internal/BlobContract.ts"
import { bucketContract } from "./internal/BucketContract.ts"
import { conversionClaimContract } from "./conversions/internal/ConversionClaimContract.ts"
import { fairClaimContract } from "./conversions/internal/FairClaimContract.ts"
import { ladderContract } from "./conversions/internal/LadderContract.ts"
import { posterContract } from "./conversions/internal/PosterContract.ts"
import { packagedContract } from "./conversions/internal/PackagedContract.ts"
import { sharedContract } from "./conversions/internal/SharedContract.ts"
import { setPosterContract } from "./posters/internal/SetPosterContract.ts"
import { conversionContract } from "./conversions/internal/ConversionContract.ts"
import { creatorContract } from "./internal/CreatorContract.ts"
import { deploymentContract } from "./internal/DeploymentContract.ts"
import { eventContract } from "./events/internal/EventContract.ts"
import { damageContract } from "./internal/DamageContract.ts"
import { fileChangeContract } from "./files/internal/FileChangeContract.ts"
import { fileContentContract } from "./files/internal/FileContentContract.ts"
import { fileContract } from "./files/internal/FileContract.ts"
import { fileFilterContract } from "./files/internal/FileFilterContract.ts"
import { fileListContract } from "./files/internal/FileListContract.ts"
import { fileRaceContract } from "./files/internal/FileRaceContract.ts"
import { folderJobContract } from "./files/internal/FolderJobContract.ts"
import { folderContract } from "./files/internal/FolderContract.ts"
import { keyContract } from "./files/internal/KeyContract.ts"
import { memberContract } from "./internal/MemberContract.ts"
import type { Metadata } from "@holdfast/core/Holdfast"
import type { It } from "./internal/It.ts"
import { mirrorContract } from "./mirrors/internal/MirrorContract.ts"
import { mirrorFailureContract } from "./mirrors/internal/MirrorFailureContract.ts"
import { mirrorNameContract } from "./mirrors/internal/MirrorNameContract.ts"
import { mirrorTaskContract } from "./mirrors/internal/MirrorTaskContract.ts"
import { reconciliationContract } from "./mirrors/internal/ReconciliationContract.ts"
import { dueTimeContract } from "./queues/internal/DueTimeContract.ts"
import { queueDepthContract } from "./queues/internal/QueueDepthContract.ts"
import { removalContract } from "./internal/RemovalContract.ts"
import { removalRaceContract } from "./internal/RemovalRaceContract.ts"
import { scrubContract } from "./internal/ScrubContract.ts"
import { tenantContract } from "./internal/TenantContract.ts"
import { tokenContract } from "./internal/TokenContract.ts"
import { uploadContract } from "./internal/UploadContract.ts"
import { limitContract } from "./usage/internal/LimitContract.ts"
import { recountContract } from "./usage/internal/RecountContract.ts"
import { quotaContract } from "./quotas/internal/QuotaContract.ts"
import { reachedLimitContract } from "./quotas/internal/ReachedLimitContract.ts"
import { usageContract } from "./usage/internal/UsageContract.ts"
import { captionContract } from "./captions/internal/CaptionContract.ts"
import { shareContract } from "./shares/internal/ShareContract.ts"
import { deliveryContract } from "./webhooks/internal/DeliveryContract.ts"
import { recoveryContract } from "./webhooks/internal/RecoveryContract.ts"
import { webhookContract } from "./webhooks/internal/WebhookContract.ts"

const parts = [
  ["accounts", accountContract],
  ["deployment", deploymentContract],
  ["access", accessContract],
  ["tenants", tenantContract],
  ["members", memberContract],
  ["tokens", tokenContract],
  ["creators of tokens and mirrors", creatorContract],
  ["buckets", bucketContract],
  ["files: insert and find", fileContract],
  ["files: content", fileContentContract],
  ["files: changes", fileChangeContract],
  ["files: concurrent changes", fileRaceContract],
  ["files: lists", fileListContract],
  ["files: filters", fileFilterContract],
  ["files: folders", folderContract],
  ["files: keys", keyContract],
  ["files: moves and removals of folders", folderJobContract],
  ["removals of buckets and tenants: concurrent changes", removalRaceContract],
  ["removals in steps", removalContract],
  ["blobs", blobContract],
  ["uploads in parts", uploadContract],
  ["damage", damageContract],
  ["scrubs", scrubContract],
  ["conversions", conversionContract],
  ["conversions: claims", conversionClaimContract],
  ["conversions: fairness", fairClaimContract],
  ["conversions: ladders", ladderContract],
  ["conversions: posters", posterContract],
  ["conversions: shared files", sharedContract],
  ["conversions: packaged video", packagedContract],
  ["mirrors", mirrorContract],
  ["mirrors: tasks", mirrorTaskContract],
  ["mirrors: names of objects", mirrorNameContract],
  ["mirrors: failing", mirrorFailureContract],
  ["mirrors: reconciliation", reconciliationContract],
  ["shares", shareContract],
  ["captions", captionContract],
  ["posters that are set", setPosterContract],
  ["webhooks", webhookContract],
  ["webhooks: tests and recoveries", recoveryContract],
  ["webhooks: deliveries", deliveryContract],
  ["events", eventContract],
  ["quotas", quotaContract],
  ["quotas: limits that are reached", reachedLimitContract],
  ["usage", usageContract],
  ["usage: limits", limitContract],
  ["queue depths", queueDepthContract],
  ["queues: due times of a wrong clock", dueTimeContract],
  // The last part: it recounts what all others have done.
  ["usage: recount", recountContract]
] as const satisfies ReadonlyArray<readonly [port: string, register: (it: It) => void]>

export interface Options {
  /** The parts of the contract to register. Default: all of them, which a store needs that no other run of the contract has tested. */
  readonly only?: ReadonlyArray<(typeof parts)[number][0]> | undefined
}

/** The timeout of a test, in milliseconds. */
const timeout = 60_000

/**
 * Registers the contract suite with vitest. All tests share one store, with the real clock. No other program may use the store
 * at the same time, because some methods affect all rows. The store may contain rows already.
 */
export const suite = <E>(name: string, metadata: Layer.Layer<Metadata, E>, { only }: Options = {}): void => {
  // No test depends on time. A busy machine that has to start a server first needs more than vitest's default timeout.
  vi.setConfig({ testTimeout: timeout, hookTimeout: timeout })
  layer(metadata, { excludeTestServices: true, timeout })(name, (it) => {
    for (const [port, register] of parts) {
      if (only === undefined || only.includes(port)) describe(port, () => register(it))
    }
  })
}
