/**
 * Clients of a Holdfast service: `createClient` with promises, `HoldfastClient` with effects. Nothing here needs Node,
 * and a bundle holds the one that is used.
 */
export { type Client, createClient } from "./Client.ts"
export { type ClientErrorCode, HoldfastError } from "./ClientError.ts"
export type { OnProgress, Progress, Source } from "./Content.ts"
export type { Download, Range } from "./Download.ts"
export type { ReadInput, ReuploadInput, UploadInput } from "./FilesClient.ts"
export type { MirrorRef } from "./MirrorsClient.ts"
export type * from "./Records.ts"
export type { PlayerInput, ReadStreamInput, RequestInput, StreamRef } from "./StreamsClient.ts"
export type { CallOptions, ClientOptions } from "./Transport.ts"
export type { ContentInput, UploadOptions } from "./Uploading.ts"
export * as HoldfastClient from "./HoldfastClient.ts"
