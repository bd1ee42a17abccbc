/**
 * Posters of the tests.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { NewPoster } from "@holdfast/core/posters/PosterRepository"
import * as Sample from "../Sample.ts"

/** Returns a poster for a content: an image, unless it has a time. */
export const newPoster = (
  {
    bucket,
    source
  }: { readonly bucket: BucketRef; readonly source: { readonly fileId: string; readonly blobId: string } },
  options: Partial<Pick<NewPoster, "image" | "time" | "updatedAt">> = {}
): NewPoster => ({
  bucket,
  ...source,
  time: null,
  image: Uint8Array.of(0xff, 0xd8, 1, 2, 3),
  updatedAt: Sample.at(),
  ...options
})
