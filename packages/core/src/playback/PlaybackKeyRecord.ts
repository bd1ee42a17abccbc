/**
 * A playback key for pages, as callers request and get it.
 */
import * as Schema from "effect/Schema"
import { ExpiresIn } from "../files/links/Link.ts"

export const CreatePlaybackKey = Schema.Struct({
  expiresIn: Schema.optional(ExpiresIn).annotate({
    description:
      "Seconds until the key expires; at most 604,800, which are seven days. As the keys in playlists when absent."
  })
}).annotate({ identifier: "CreatePlaybackKey" })
export type CreatePlaybackKey = typeof CreatePlaybackKey.Type

export const PlaybackKeyRecord = Schema.Struct({
  key: Schema.String.annotate({
    description: "A playback key: reads this stream as `?apiKey=`, in place of an API key. Anyone who has it may do so."
  }),
  expiresAt: Schema.DateTimeUtcFromString,
  playerUrl: Schema.String.annotate({
    description:
      "The address of the player page with its key; a path where the service does not know its own address. Add the parameters of the player after `&`."
  }),
  playlistUrl: Schema.String.annotate({ description: "The playlist or manifest with its key, for other players." }),
  embed: Schema.String.annotate({ description: "HTML: an `iframe` of the player page." })
}).annotate({ identifier: "PlaybackKey" })
export type PlaybackKeyRecord = typeof PlaybackKeyRecord.Type
