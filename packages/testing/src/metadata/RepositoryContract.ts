/**
 * The contract of a metadata store: every sentence of the repository ports, as tests that any adapter can run.
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
import type { It, Metadata } from "./Metadata.ts"
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
  ["files: races", fileRaceContract],
  ["files: lists", fileListContract],
  ["files: filters", fileFilterContract],
  ["files: folders", folderContract],
  ["removals of whole buckets and tenants: races", removalRaceContract],
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

/** Milliseconds. */
const patience = 60_000

/**
 * Registers the contract of a metadata store with vitest. One store is built for all tests, with the real clock. Nothing
 * else may use it meanwhile, since some methods concern all of it; what stands in it already does not matter.
 */
export const suite = <E>(name: string, metadata: Layer.Layer<Metadata, E>): void => {
  // Nothing here depends on time. A busy machine with a server to start needs more of it than vitest gives by default.
  vi.setConfig({ testTimeout: patience, hookTimeout: patience })
  layer(metadata, { excludeTestServices: true, timeout: patience })(name, (it) => {
    for (const [port, register] of parts) describe(port, () => register(it))
  })
}
