/**
 * The trace of a content: the buckets of Holdfast from which mirrors have copied it, over the S3 API of this or another deployment. A
 * bucket refuses a copy of what came from it, so that mirrors which lead back to their source do not copy without end.
 *
 * A request of a mirror has the trace in a header, and not in the metadata of the object: other programs copy metadata from a target,
 * for example to restore a bucket, and what they write is no copy of a mirror. The bucket that gets the object keeps the trace as a
 * member of the file's metadata, with the digest of the content: a file that gets another content has no trace.
 *
 * A removal has the id of the mirror's bucket in a header of its own: the bucket then removes the object only if it is a copy that came
 * directly from there, as its trace says. The mirror cannot know that by itself. Its record of a name does not say whether the object is
 * one that it wrote: its last attempt may have failed, and the target may have got another content since.
 *
 * A client that may write a file may also forge its trace. That keeps the file's content from being copied, and has no other effect.
 */
import * as Ids from "../../Ids.ts"
import type { StoredFile } from "../../files/File.ts"
import { metadataName } from "../../files/moves/TraceMember.ts"
import type { MirroredFile } from "./MirroredFile.ts"

/** The header of a request that writes a copy. */
export const header = "x-holdfast-trace"

/** The header of a request that removes a copy: the id of the bucket whose mirror wrote it. */
export const sourceHeader = "x-holdfast-source"

/** The most buckets of a trace. A copy that has come from as many is not copied again. */
export const maxBuckets = 16

/** The buckets from which a content was copied, the first one first. */
export interface Trace {
  /** Of the content, hexadecimal. */
  readonly sha256: string
  readonly bucketIds: ReadonlyArray<string>
}

/** Returns a trace as the header and the metadata have it. */
export const format = ({ bucketIds, sha256 }: Trace): string => [sha256, ...bucketIds].join(" ")

/** Decodes a trace; undefined for a text that is none. */
export const parse = (text: unknown): Trace | undefined => {
  if (typeof text !== "string" || text.length > 64 + maxBuckets * (Ids.length + 1)) return undefined
  const [sha256 = "", ...bucketIds] = text.split(" ")
  const isValid = /^[0-9a-f]{64}$/.test(sha256) && bucketIds.length > 0 && bucketIds.every((id) => Ids.is("bkt", id))
  return isValid ? { sha256, bucketIds } : undefined
}

/** Returns the buckets from which the content of a file was copied: none for a content that mirrors did not bring. */
export const bucketIdsOf = ({
  content,
  metadata
}: Pick<MirroredFile, "content" | "metadata">): ReadonlyArray<string> => {
  const trace = parse(metadata[metadataName])
  return trace?.sha256 === content.sha256 ? trace.bucketIds : []
}

/**
 * Whether a file is a copy that a mirror of a bucket wrote. While the digest of its content is unknown: whether it is one if the content
 * is that of its trace.
 */
export const isCopyFrom = (
  { content, metadata }: Pick<StoredFile, "content" | "metadata">,
  bucketId: string
): boolean => {
  const trace = parse(metadata[metadataName])
  const isOfContent = content !== null && (content.sha256 === null || content.sha256 === trace?.sha256)
  return isOfContent && trace?.bucketIds.at(-1) === bucketId
}
