/**
 * An opened file of a stream.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { OpenedPlaylist, OpenedSegment } from "../../../playback/OpenedStream.ts"
import { ContentReader, type OpenedContent } from "./ContentReader.ts"

const encoder = new TextEncoder()

const toContent = (opened: OpenedPlaylist | OpenedSegment): OpenedContent => {
  const { contentType } = opened
  if (opened._tag === "Segment") {
    const { etag, read, reportDamage, size } = opened
    const headers = [{ name: "cache-control", value: "private, no-cache" }]
    return { contentType, etag, size, sha256: null, headers, read, reportDamage }
  }
  const bytes = encoder.encode(opened.text)
  return {
    contentType,
    etag: null,
    size: bytes.length,
    sha256: null,
    headers: [{ name: "cache-control", value: "private, no-store" }],
    read: () => Stream.succeed(bytes),
    reportDamage: Effect.void
  }
}

/**
 * A segment, or a playlist with the text that it had when it was opened. URLs in a playlist are relative and carry no
 * playback key.
 */
export class StreamDownload extends ContentReader {
  /** The name of the file, as in a playlist. */
  readonly name: string

  constructor(opened: OpenedPlaylist | OpenedSegment, context: Context.Context<never>) {
    super(toContent(opened), undefined, context)
    this.name = opened.name
  }
}
