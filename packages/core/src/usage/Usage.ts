/**
 * What a tenant or a bucket uses: logical counts, so that a removed or replaced content no longer counts, although its bytes stay in
 * the blob store for the grace period.
 */
export interface Usage {
  /** Files, with and without content. */
  readonly files: number
  /** Bytes of the files' contents. */
  readonly contentBytes: number
  /** Bytes of the segments and posters of streams. They count until the sweep that follows the removal of their content. */
  readonly streamBytes: number
  /** Bytes that running uploads have reserved. Uploads reserve only where a limit on bytes applies. */
  readonly reservedBytes: number
}
