/**
 * The contract suite of a metadata store: tests for every documented guarantee of the repository ports.
 *
 * @example
 *   RepositoryContract.suite("SQLite in memory", SqliteMetadata.layer({ file: ":memory:" }))
 */
import { describe, layer, vi } from "@effect/vitest"
import type * as Layer from "effect/Layer"
import { accessContract } from "./AccessContract.ts"
import { accountContract } from "./AccountContract.ts"
import { blobContract } from "./BlobContract.ts"
import { bucketContract } from "./BucketContract.ts"
import { conversionClaimContract } from "./conversions/ConversionClaimContract.ts"
import { conversionContract } from "./conversions/ConversionContract.ts"
import { fileChangeContract } from "./files/FileChangeContract.ts"
import { fileContentContract } from "./files/FileContentContract.ts"
import { fileContract } from "./files/FileContract.ts"
import { fileFilterContract } from "./files/FileFilterContract.ts"
import { fileListContract } from "./files/FileListContract.ts"
import { fileRaceContract } from "./files/FileRaceContract.ts"
import { folderContract } from "./files/FolderContract.ts"
import { memberContract } from "./MemberContract.ts"
import type { Metadata } from "@holdfast/core/Holdfast"
import type { It } from "./It.ts"
import { mirrorContract } from "./mirrors/MirrorContract.ts"
import { mirrorFailureContract } from "./mirrors/MirrorFailureContract.ts"
import { mirrorNameContract } from "./mirrors/MirrorNameContract.ts"
import { mirrorTaskContract } from "./mirrors/MirrorTaskContract.ts"
import { reconciliationContract } from "./mirrors/ReconciliationContract.ts"
import { queueDepthContract } from "./queues/QueueDepthContract.ts"
import { removalRaceContract } from "./RemovalRaceContract.ts"
import { tenantContract } from "./TenantContract.ts"
import { tokenContract } from "./TokenContract.ts"

const parts: ReadonlyArray<readonly [port: string, register: (it: It) => void]> = [
  ["accounts", accountContract],
  ["access", accessContract],
  ["tenants", tenantContract],
  ["members", memberContract],
  ["tokens", tokenContract],
  ["buckets", bucketContract],
  ["files: insert and find", fileContract],
  ["files: content", fileContentContract],
  ["files: changes", fileChangeContract],
  ["files: concurrent changes", fileRaceContract],
  ["files: lists", fileListContract],
  ["files: filters", fileFilterContract],
  ["files: folders", folderContract],
  ["removals of buckets and tenants: concurrent changes", removalRaceContract],
  ["blobs", blobContract],
  ["conversions", conversionContract],
  ["conversions: claims", conversionClaimContract],
  ["mirrors", mirrorContract],
  ["mirrors: tasks", mirrorTaskContract],
  ["mirrors: names of objects", mirrorNameContract],
  ["mirrors: failing", mirrorFailureContract],
  ["mirrors: reconciliation", reconciliationContract],
  ["queue depths", queueDepthContract]
]

/** The timeout of a test, in milliseconds. */
const timeout = 60_000

/**
 * Registers the contract suite with vitest. All tests share one store, with the real clock. No other program may use the store
 * at the same time, because some methods affect all rows. The store may contain rows already.
 */
export const suite = <E>(name: string, metadata: Layer.Layer<Metadata, E>): void => {
  // No test depends on time. A busy machine that has to start a server first needs more than vitest's default timeout.
  vi.setConfig({ testTimeout: timeout, hookTimeout: timeout })
  layer(metadata, { excludeTestServices: true, timeout })(name, (it) => {
    for (const [port, register] of parts) describe(port, () => register(it))
  })
}
