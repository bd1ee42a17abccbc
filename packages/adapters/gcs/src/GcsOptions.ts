/**
 * How a bucket of Google Cloud Storage is reached and used.
 */
import type { RequestOptions } from "@holdfast/outbound/RequestOptions"
import type * as Redacted from "effect/Redacted"

/** How contents are divided into chunks, which are the parts of Google's resumable uploads. */
export interface ChunkOptions {
  /**
   * Bytes of one request. A content that fits is sent in one request, a larger one in a resumable upload. An upload
   * uses two chunks of memory: one is sent while the next one is read. Default: 8 MiB. It is rounded down to a multiple
   * of 256 KiB, which is also the minimum.
   */
  readonly chunkBytes?: number | undefined
}

/** Options of a store. */
export interface Options extends ChunkOptions, RequestOptions {
  /** Must exist. Versioning and soft deletion are not needed: they keep what was removed. */
  readonly bucket: string
  /**
   * The JSON document of a service account's key, as Google's console supplies it. It appears in no log and no error.
   * When absent, Google's library finds credentials: environment, machine, workload identity.
   */
  readonly credentials?: Redacted.Redacted | undefined
  /** The project that pays for requests to a bucket with "requester pays". Default: none. */
  readonly projectId?: string | undefined
  /** The URL of a service other than Google's public one: a private endpoint or an emulator. */
  readonly endpoint?: string | undefined
  /** Prefix of every key, including a slash if it is to be a folder. Default: none. */
  readonly prefix?: string | undefined
}

/** Options of all mirror targets of a deployment. The location of each target is part of its mirror. */
export interface MirrorOptions extends ChunkOptions, RequestOptions {
  /** Whether targets and token endpoints may have addresses that are not on the public Internet. */
  readonly allowPrivate: boolean
}
