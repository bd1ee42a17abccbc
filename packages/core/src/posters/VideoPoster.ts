/**
 * A poster that replaces the one that conversions make, as callers send and see it. It belongs to the content: a new content has none.
 */
import * as Schema from "effect/Schema"
import * as Text from "../Text.ts"

/** Bytes of a picture. One of 1280×720 has some 150 KB. */
export const maxBytes = 512 * 1024

/** Characters of a picture as Base64. */
const maxCharacters = Math.ceil(maxBytes / 3) * 4

export const SetPoster = Schema.Struct({
  time: Schema.optional(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))).annotate({
    description: "Seconds from the beginning of the video. A worker makes a picture of that frame."
  }),
  image: Schema.optional(
    Schema.String.check(
      Schema.makeFilter(
        (text: string) => (text.length > maxCharacters ? `must be at most ${maxBytes} bytes as Base64` : undefined),
        Text.atMost(maxCharacters)
      )
    )
  ).annotate({ description: `A JPEG of at most ${maxBytes} bytes, as Base64.` })
}).annotate({ identifier: "SetPoster", description: "Either `time` or `image`." })
export type SetPoster = typeof SetPoster.Type

export const VideoPoster = Schema.Struct({
  time: Schema.NullOr(Schema.Finite).annotate({ description: "Seconds from the beginning; null for an image." }),
  state: Schema.Literals(["PENDING", "READY"]).annotate({
    description: "`PENDING` until a worker has made the picture. Viewers see the former poster meanwhile."
  }),
  updatedAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "VideoPoster" })
export type VideoPoster = typeof VideoPoster.Type
