/**
 * `client.streams`.
 */
import { Download, type Range, toHeader } from "./Download.ts"
import type * as Records from "./Records.ts"
import type { CallOptions, Transport } from "./Transport.ts"

/** One format of a file. */
export interface StreamRef extends Records.FileRef {
  readonly format: Records.StreamFormat
}

export interface RequestInput extends StreamRef {
  /** `auto` copies what players take as it is, `transcode` encodes everything anew. Default: `auto`. */
  readonly mode?: "auto" | "transcode" | undefined
  /** Seconds to wait until it is READY or FAILED, 60 at most; not at all when absent. */
  readonly wait?: number | undefined
}

export interface ReadStreamInput extends StreamRef {
  /** As the playlist or manifest has it. */
  readonly name: string
  readonly range?: Range | undefined
}

/** What the address of a player asks for. */
export interface PlayerInput extends StreamRef {
  readonly controls?: boolean | undefined
  readonly autoplay?: boolean | undefined
  readonly muted?: boolean | undefined
  readonly repeat?: boolean | undefined
  /** Pixels. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  /** Where it begins: seconds, or `1h2m3s`. */
  readonly seek?: number | string | undefined
  /** From 0.25 to 4. */
  readonly speed?: number | undefined
}

const at = ({ bucketId, fileId, tenantId }: Records.FileRef, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  "tenants",
  tenantId,
  "buckets",
  bucketId,
  "files",
  fileId,
  "streams",
  ...more
]

const parameters = ({ autoplay, controls, height, muted, repeat, seek, speed, width }: PlayerInput) => ({
  controls,
  autoplay,
  muted,
  repeat,
  width,
  height,
  seek,
  speed
})

const entries = { hls: "playlist.m3u8", dash: "manifest.mpd" } as const

export const make = (transport: Transport) => ({
  /** Asks for a conversion, which is made once and then kept. */
  request: (input: RequestInput, options?: CallOptions): Promise<Records.StreamRecord> => {
    const { format, mode, wait } = input
    return transport.json({
      ...options,
      method: "POST",
      path: at(input, format),
      headers: { prefer: wait === undefined ? undefined : `wait=${Math.ceil(wait)}` },
      ...(mode === undefined ? undefined : { json: { mode } })
    })
  },

  /** How far the conversions of a file's content are. */
  list: (input: Records.FileRef, options?: CallOptions): Promise<Records.Listing<Records.StreamRecord>> =>
    transport.json({ ...options, method: "GET", path: at(input) }),

  /** Ends and removes a conversion, whatever its state. */
  cancel: (input: StreamRef, options?: CallOptions): Promise<void> =>
    transport.none({ ...options, method: "DELETE", path: at(input, input.format) }),

  /** The playlist or manifest as it stands. Every address in it carries a key for this stream alone. */
  playlist: async (input: StreamRef, options?: CallOptions): Promise<string> => {
    const path = at(input, input.format, entries[input.format])
    return (await transport.send({ ...options, method: "GET", path })).text()
  },

  /** Opens a segment, or another file of the stream. */
  read: async (input: ReadStreamInput, options?: CallOptions): Promise<Download> => {
    const headers = { range: input.range === undefined ? undefined : toHeader(input.range) }
    const path = at(input, input.format, ...input.name.split("/"))
    return new Download(await transport.send({ ...options, method: "GET", path, headers }))
  },

  /** Opens the still of a video, a JPEG. */
  poster: async (input: Records.FileRef, options?: CallOptions): Promise<Download> =>
    new Download(await transport.send({ ...options, method: "GET", path: at(input, "poster.jpg") })),

  /** The page that plays it. Its addresses are relative: show it at `playerUrl`, or let a frame load that. */
  player: async (input: PlayerInput, options?: CallOptions): Promise<string> => {
    const call = { method: "GET", path: at(input, input.format), query: parameters(input) } as const
    return (await transport.send({ ...options, ...call })).text()
  },

  /** The address of the playlist or manifest, without a key. */
  url: (input: StreamRef): string => transport.url(at(input, input.format, entries[input.format])),

  /** The address of the page that plays it, without a key. */
  playerUrl: (input: PlayerInput): string => transport.url(at(input, input.format), parameters(input)),

  /** The address of a still from the video, without a key. */
  posterUrl: (input: Records.FileRef): string => transport.url(at(input, "poster.jpg"))
})

export type StreamsClient = ReturnType<typeof make>
