/**
 * `client.streams`.
 */
import type { FileRef, RangeInput, ReadStreamInput, StreamRef } from "@holdfast/core"
import type { CallOptions, Methods } from "@holdfast/core/promises/Operations"
import type { Download } from "@holdfast/core/promises/content/Download"
import type { StreamOperations } from "@holdfast/core/promises/resources/StreamsApi"
import type { PlaybackKeyRecord } from "../Records.ts"
import { ResponseDownload, toRangeHeader } from "../ResponseDownload.ts"
import * as Routes from "../Routes.ts"
import type { Transport } from "../Transport.ts"

const streams = "/tenants/:tenantId/buckets/:bucketId/files/:fileId/streams"
const stream = `${streams}/:format`

/** The parameters of a player page. */
export interface PlayerInput extends StreamRef {
  readonly controls?: boolean | undefined
  readonly autoplay?: boolean | undefined
  readonly muted?: boolean | undefined
  readonly repeat?: boolean | undefined
  /** Pixels. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  /** Where playback begins: seconds, or `1h2m3s`. */
  readonly seek?: number | string | undefined
  /** From 0.25 to 4. */
  readonly speed?: number | undefined
}

export interface StreamsClient extends Methods<StreamOperations<string>, []> {
  readonly read: (
    input: ReadStreamInput & { readonly range?: RangeInput | undefined },
    options?: CallOptions
  ) => Promise<Download>

  /** Reads the playlist or manifest that players load first. Each URL in it has a key for this stream. */
  readonly playlist: (input: StreamRef, options?: CallOptions) => Promise<string>

  /** Reads the HTML page of the player. Its URLs are relative: show the page at `playerUrl`, or load that URL in a frame. */
  readonly player: (input: PlayerInput, options?: CallOptions) => Promise<string>

  /** Returns the URL of the playlist or manifest. It has no API key. */
  readonly url: (input: StreamRef) => string

  /** Returns the URL of the player page. It has no API key. */
  readonly playerUrl: (input: PlayerInput) => string

  /** Returns the URL of the poster. It has no API key. */
  readonly posterUrl: (input: FileRef) => string
}

const toQuery = ({ autoplay, controls, height, muted, repeat, seek, speed, width }: PlayerInput) => ({
  controls,
  autoplay,
  muted,
  repeat,
  width,
  height,
  seek,
  speed
})

/** The file of each format that players load first. */
const entryNames = { hls: "playlist.m3u8", dash: "manifest.mpd" } as const

/** Returns the record with absolute URLs, where the service knows only its path. */
const toAbsolute = (record: PlaybackKeyRecord, base: string): PlaybackKeyRecord => {
  const playerUrl = new URL(record.playerUrl, base).href
  return {
    ...record,
    playerUrl,
    playlistUrl: new URL(record.playlistUrl, base).href,
    embed: record.embed.replace(`src="${record.playerUrl}"`, () => `src="${playerUrl}"`)
  }
}

export const make = (transport: Transport): StreamsClient => {
  const posterPath = (input: FileRef) => Routes.fillPath(`${streams}/poster.jpg`, input)
  const filePath = (input: ReadStreamInput) => [
    ...Routes.fillPath(stream, input),
    ...(input.name ?? entryNames[input.format]).split("/")
  ]
  return {
    ...Routes.bind<
      Pick<
        StreamOperations<string>,
        "attachCaptions" | "cancel" | "list" | "listCaptions" | "removeCaptions" | "resetPoster" | "setPoster"
      >
    >(transport, {
      list: { method: "GET", path: streams },
      cancel: { method: "DELETE", path: stream },
      attachCaptions: { method: "POST", path: `${streams}/captions`, hasBody: true },
      listCaptions: { method: "GET", path: `${streams}/captions` },
      removeCaptions: { method: "DELETE", path: `${streams}/captions/:captionsId` },
      setPoster: { method: "POST", path: `${streams}/poster`, hasBody: true },
      resetPoster: { method: "DELETE", path: `${streams}/poster` }
    }),

    request: (input, options) => {
      const { mode, wait } = input
      return transport.json({
        ...options,
        method: "POST",
        path: Routes.fillPath(stream, input),
        headers: { prefer: wait === undefined ? undefined : `wait=${Math.ceil(wait)}` },
        json: mode === undefined ? undefined : { mode }
      })
    },

    playbackKey: async ({ expiresIn, ...input }, options) => {
      const path = [...Routes.fillPath(stream, input), "keys"]
      const request = { ...options, method: "POST", path, json: { expiresIn } } as const
      return toAbsolute(await transport.json<PlaybackKeyRecord>(request), transport.url([]))
    },

    read: async (input, options) => {
      const headers = { range: toRangeHeader(input.range) }
      return new ResponseDownload(await transport.send({ ...options, method: "GET", path: filePath(input), headers }))
    },

    poster: async (input, options) =>
      new ResponseDownload(await transport.send({ ...options, method: "GET", path: posterPath(input) })),

    playlist: async ({ bucketId, fileId, format, tenantId }, options) => {
      const path = filePath({ tenantId, bucketId, fileId, format })
      return (await transport.send({ ...options, method: "GET", path })).text()
    },

    player: async (input, options) => {
      const request = { method: "GET", path: Routes.fillPath(stream, input), query: toQuery(input) } as const
      return (await transport.send({ ...options, ...request })).text()
    },

    url: ({ bucketId, fileId, format, tenantId }) => transport.url(filePath({ tenantId, bucketId, fileId, format })),
    playerUrl: (input) => transport.url(Routes.fillPath(stream, input), toQuery(input)),
    posterUrl: (input) => transport.url(posterPath(input))
  }
}
