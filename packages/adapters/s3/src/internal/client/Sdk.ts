/**
 * The SDK of S3, which is loaded when it is first needed.
 */
import type * as Module from "@aws-sdk/client-s3"
import * as LazySdk from "@holdfast/outbound/Sdk"

/** The module of the SDK. */
export type Sdk = typeof Module

export const { atOnce, inSteps } = LazySdk.make<Sdk>({
  specifier: "@aws-sdk/client-s3",
  owner: "@holdfast/s3",
  parent: import.meta.url,
  load: () => import("@aws-sdk/client-s3")
})
