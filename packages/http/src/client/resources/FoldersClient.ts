/**
 * `client.folders`.
 */
import type { Methods } from "@holdfast/core/promises/Operations"
import type { FolderOperations } from "@holdfast/core/promises/resources/FoldersApi"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const folders = "/tenants/:tenantId/buckets/:bucketId/folders"

export interface FoldersClient extends Methods<FolderOperations<string>, []> {}

export const make = (transport: Transport): FoldersClient =>
  Routes.bind<FolderOperations<string>>(transport, {
    move: { method: "POST", path: `${folders}/move`, hasBody: true },
    remove: { method: "POST", path: `${folders}/delete`, hasBody: true },
    job: { method: "GET", path: `${folders}/jobs/:jobId` },
    cancel: { method: "POST", path: `${folders}/jobs/:jobId/cancel` }
  })
