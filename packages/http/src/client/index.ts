/**
 * Clients of a Holdfast service: `createClient` with promises, `HoldfastClient` with effects. No module here needs Node. A
 * bundle contains only the client that the program uses.
 */
export type { CallOptions } from "@holdfast/core"
export { type Client, createClient } from "./Client.ts"
export { type ClientErrorCode, HoldfastError } from "./HoldfastError.ts"
export type * from "./Records.ts"
export type { PlayerInput } from "./resources/StreamsClient.ts"
export type { ClientOptions } from "./Transport.ts"
export type { OnProgress, Progress } from "./upload/OutgoingContent.ts"
export { defaultBackoff, waitToRetry } from "./upload/Backoff.ts"
export { identityOf, type UploadStorage } from "./upload/RememberedUploads.ts"
export { discardResumable, type ResumableOptions, uploadResumable } from "./upload/ResumableUpload.ts"
export type { UploadOptions } from "./upload/Uploader.ts"
export { uploadTo, type UploadToOptions } from "./upload/UploadTo.ts"
export * as HoldfastClient from "./HoldfastClient.ts"
