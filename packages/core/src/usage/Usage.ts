/**
 * What a tenant or a bucket uses: logical counts, so that a removed or replaced content no longer counts, although its bytes stay in
 * the blob store for the grace period.
 */
import * as Schema from "effect/Schema"

export const Usage = Schema.Struct({
  files: Schema.Int.annotate({ description: "Files, with and without content." }),
  contentBytes: Schema.Int.annotate({ description: "Bytes of the files' contents." }),
  streamBytes: Schema.Int.annotate({
    description:
      "Bytes of the segments and posters of streams, of attached captions, and of posters that were set. They count until the sweep that follows the removal of their content."
  }),
  reservedBytes: Schema.Int.annotate({
    description:
      "Bytes that running uploads have reserved. Uploads in one request reserve only where a limit on bytes applies, uploads in parts always."
  })
}).annotate({ identifier: "Usage" })
export type Usage = typeof Usage.Type
