/**
 * Creates playback keys for pages, with the addresses and the code that play a stream by them. A page that has such a key needs no
 * API key.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Actor } from "../Actor.ts"
import type { StreamRecord } from "../conversions/StreamRecord.ts"
import type { InvalidRequest } from "../Errors.ts"
import type { FileRef } from "../files/FileRef.ts"
import * as Input from "../Input.ts"
import type { Format } from "../transcoding/Presentation.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import * as Markup from "./Markup.ts"
import type { StreamError } from "./OpenedStream.ts"
import { CreatePlaybackKey, type PlaybackKeyRecord } from "./PlaybackKeyRecord.ts"
import { PlaybackKeys } from "./PlaybackKeys.ts"
import { Streams } from "./Streams.ts"

export type PlaybackKeyError = InvalidRequest | Exclude<StreamError, { readonly _tag: "StreamNotReady" }>

/** CSS pixels: the longer side of a frame in a page, and the height of a frame for sound alone. */
const frameSide = 640
const soundHeight = 64

/** Returns the size of a frame, with the proportions of the picture. Before the conversion runs these are not known. */
const frameSize = ([best]: StreamRecord["renditions"]): readonly [width: number, height: number] => {
  if (best === undefined) return [frameSide, (frameSide * 9) / 16]
  const { height, width } = best
  if (width === null || height === null) return [frameSide, soundHeight]
  const scale = frameSide / Math.max(width, height)
  return [Math.round(width * scale), Math.round(height * scale)]
}

/** Returns the code that embeds a player page. */
const embedCode = (playerUrl: string, title: string, renditions: StreamRecord["renditions"]): string => {
  const [width, height] = frameSize(renditions)
  const attributes = [
    Markup.attribute("src", playerUrl),
    Markup.attribute("title", title),
    Markup.attribute("width", width),
    Markup.attribute("height", height),
    Markup.attribute("allow", "autoplay; fullscreen; picture-in-picture"),
    Markup.attribute("referrerpolicy", "no-referrer")
  ]
  return `<iframe${attributes.join("")}></iframe>`
}

const decode = Input.decoder(CreatePlaybackKey)

/**
 * Creates a key for an actor who may read the file, also while the conversion runs. Nothing is stored. The key is valid while the
 * actor may read the file, and ends with the conversion.
 *
 * @param apiUrl The URL of the HTTP API, or its path where the URL is not known.
 */
export const create = Effect.fn("KeysForPages.create")(function* (
  actor: Actor,
  { bucketId, tenantId, ...file }: FileRef,
  format: Format,
  input: unknown,
  apiUrl: string
): Effect.fn.Return<PlaybackKeyRecord, PlaybackKeyError, Streams | PlaybackKeys> {
  const streams = yield* Streams
  const keys = yield* PlaybackKeys
  const { conversionId, fileId, name, record } = yield* streams.get(actor, { tenantId, bucketId, ...file }, format)
  const { expiresIn } = yield* decode(input)
  const stream = { tenantId, bucketId, fileId, format, conversionId }
  const { expiresAt, key: redacted } = yield* keys.issue(actor, stream, { expiresIn })
  const key = Redacted.value(redacted)
  const base = `${apiUrl}/tenants/${tenantId}/buckets/${bucketId}/files/${fileId}/streams/${format}`
  const playerUrl = `${base}?apiKey=${key}`
  return {
    key,
    expiresAt,
    playerUrl,
    playlistUrl: `${base}/${StreamFiles.entry(format)}?apiKey=${key}`,
    embed: embedCode(playerUrl, name, record.renditions)
  }
})
