/**
 * What a worker publishes of a conversion in one step: segments and playlists that players can read from then on.
 */
import type * as DateTime from "effect/DateTime"
import type { Presentation } from "../transcoding/Presentation.ts"

/** A segment whose bytes are durable. */
export interface Segment {
  readonly name: string
  readonly blobId: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

export interface Playlist {
  readonly name: string
  readonly text: string
}

/** One step of publishing. */
export interface Publication {
  /** Their blobs have been staged. */
  readonly segments: ReadonlyArray<Segment>
  /** Each replaces an earlier playlist of its name. It lists only segments of this step or earlier ones. */
  readonly playlists: ReadonlyArray<Playlist>
  /** From 0 to 1. */
  readonly progress: number
  readonly presentation: Presentation
  /** Whether this is the last step, which makes the conversion READY. */
  readonly isFinished: boolean
  /**
   * In the only step of a conversion without files of its own: the READY conversion of the same content whose files it shares, a shared
   * presentation. Publishing fails with `LeaseLost` if that one was removed.
   */
  readonly sharesId?: string | undefined
  /** In the last step of a copy: when its ladder may be claimed. Absent if it gets none. */
  readonly ladderDueAt?: DateTime.Utc | undefined
  /**
   * In the last step of a video: from when on another worker may make the poster and the storyboard, as far as they are missing then.
   * Absent if it gets none.
   */
  readonly picturesDueAt?: DateTime.Utc | undefined
  readonly now: DateTime.Utc
  readonly leaseUntil: DateTime.Utc
}
