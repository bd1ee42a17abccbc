/**
 * The SDK of Azure, which is loaded when it is first needed.
 */
import type * as Module from "@azure/storage-blob"
import * as LazySdk from "@holdfast/outbound/Sdk"

/** The module of the SDK. */
export type Sdk = typeof Module

export const { atOnce, inSteps } = LazySdk.make<Sdk>({
  specifier: "@azure/storage-blob",
  owner: "@holdfast/azure",
  parent: import.meta.url,
  load: () => import("@azure/storage-blob")
})
