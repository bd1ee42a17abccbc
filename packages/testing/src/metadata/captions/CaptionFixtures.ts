/**
 * Captions of the tests.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { NewCaptions } from "@holdfast/core/captions/CaptionRepository"
import * as Sample from "../Sample.ts"

/** Returns captions for a content. */
export const newCaptions = (
  {
    bucket,
    source
  }: { readonly bucket: BucketRef; readonly source: { readonly fileId: string; readonly blobId: string } },
  options: Partial<Pick<NewCaptions, "cues" | "label" | "maximum">> = {}
): NewCaptions => ({
  bucket,
  ...source,
  id: Sample.id("cap"),
  language: "de",
  label: "Deutsch",
  cues: "00:00:01.000 --> 00:00:02.000\nHallo",
  createdAt: Sample.at(),
  maximum: 3,
  ...options
})
