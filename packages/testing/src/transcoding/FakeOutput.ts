/**
 * The files of a fake conversion: names, playlists and manifests are valid, and the content of a segment is its index and
 * rendition as text.
 */
import type { Presentation, Rendition } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import { box } from "./FakeMedia.ts"

/** Seconds of a segment. */
const segmentSeconds = 4

/** Returns the duration of each segment, in seconds. */
export const durations = (seconds: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(1, Math.ceil(seconds / segmentSeconds)) }, (_, index) =>
    Math.min(segmentSeconds, Math.max(0.04, seconds - index * segmentSeconds))
  )

/** Makes a null packet of an MPEG transport stream that contains a text (ISO/IEC 13818-1, 2.4.3). */
const transportPacket = (text: string): Uint8Array => {
  const packet = Buffer.alloc(188, 0xff)
  packet.set([0x47, 0x1f, 0xff, 0x10])
  packet.write(text, 4)
  return packet
}

const bytes = (text: string): Uint8Array => Buffer.from(text)

const mediaPlaylist = (prefix: string, durations: ReadonlyArray<number>, isComplete: boolean): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${segmentSeconds}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:EVENT",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...durations.flatMap((seconds, index) => [`#EXTINF:${seconds.toFixed(6)},`, StreamFiles.segment(prefix, index)]),
    ...(isComplete ? ["#EXT-X-ENDLIST"] : []),
    ""
  ].join("\n")

const variant = (rendition: Rendition): ReadonlyArray<string> => [
  `#EXT-X-STREAM-INF:BANDWIDTH=${rendition.bitrate},RESOLUTION=${rendition.width}x${rendition.height}`,
  StreamFiles.mediaPlaylist(rendition)
]

/** Returns the files that the step of one segment writes: the segments, and the playlists that list them. */
export const hlsStep = (presentation: Presentation, all: ReadonlyArray<number>, index: number) => {
  const { renditions } = presentation
  const isSingle = !StreamFiles.hasMultivariant(presentation)
  const files = [...StreamFiles.hlsRenditions(presentation), ...StreamFiles.hlsAudio(presentation)]
  const segments = files.map(({ prefix, rendition }) => ({
    name: StreamFiles.segment(prefix, index),
    content: transportPacket(`segment ${index} of ${rendition.name}`)
  }))
  const playlists = files.map(({ playlist, prefix }) => ({
    name: playlist,
    content: bytes(mediaPlaylist(prefix, all.slice(0, index + 1), index + 1 === all.length))
  }))
  const multivariant = ["#EXTM3U", "#EXT-X-VERSION:6", ...renditions.flatMap(variant), ""].join("\n")
  return {
    segments,
    playlists:
      isSingle || index > 0
        ? playlists
        : [...playlists, { name: StreamFiles.entry("hls"), content: bytes(multivariant) }]
  }
}

/** The ids of a presentation's DASH representations. */
const representations = (presentation: Presentation): ReadonlyArray<number> =>
  Array.from({ length: StreamFiles.dashRepresentations(presentation) }, (_, id) => id)

const manifest = (presentation: Presentation, all: ReadonlyArray<number>): string => {
  const seconds = all.reduce((sum, duration) => sum + duration, 0)
  const timeline = all.map((duration) => `<S d="${Math.round(duration * 1000)}"/>`).join("")
  const template = `<SegmentTemplate timescale="1000" initialization="init-$RepresentationID$.m4s" media="chunk-$RepresentationID$-$Number$.m4s" startNumber="1"><SegmentTimeline>${timeline}</SegmentTimeline></SegmentTemplate>`
  const sets = representations(presentation).map(
    (id) => `<Representation id="${id}" bandwidth="1000">${template}</Representation>`
  )
  return `<?xml version="1.0" encoding="utf-8"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="static" mediaPresentationDuration="PT${seconds.toFixed(3)}S" minBufferTime="PT8.0S"><Period><AdaptationSet>${sets.join("")}</AdaptationSet></Period></MPD>\n`
}

/** Returns the files of a step for DASH. The last step writes the manifest. */
export const dashStep = (presentation: Presentation, all: ReadonlyArray<number>, index: number) => {
  const ids = representations(presentation)
  const isLast = index + 1 === all.length
  return {
    segments: [
      ...ids.map((id) => ({
        name: StreamFiles.chunk(id, index + 1),
        content: box("mdat", `segment ${index} of representation ${id}`)
      })),
      ...(isLast ? ids.map((id) => ({ name: StreamFiles.init(id), content: box("moov", "") })) : [])
    ],
    playlists: isLast ? [{ name: StreamFiles.entry("dash"), content: bytes(manifest(presentation, all)) }] : []
  }
}

/** Returns the files of a step for the lower renditions of a copy. */
export const ladderStep = ({ format, renditions }: Presentation, all: ReadonlyArray<number>, index: number) => {
  const isLast = index + 1 === all.length
  const segments = renditions.flatMap((rendition) =>
    format === "hls"
      ? [
          {
            name: StreamFiles.segment(StreamFiles.segmentPrefix(rendition, false), index),
            content: transportPacket(`segment ${index} of ${rendition.name}`)
          }
        ]
      : [
          {
            name: StreamFiles.ladderChunk(rendition, index + 1),
            content: box("mdat", `segment ${index} of ${rendition.name}`)
          },
          ...(isLast ? [{ name: StreamFiles.ladderInit(rendition), content: box("moov", "") }] : [])
        ]
  )
  return { segments, playlists: [] }
}

/** A JPEG of eight by eight grey pixels. */
export const jpeg = Buffer.from(
  [
    "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAg+Pkk+SVVVVVVVVWRdZGhoaGRkZGRoaGhwcHCDg4NwcHBoaHBw",
    "fHyDg4+Tj4eHg4eTk5ubm7q6srLZ2eD/////xABKAAEAAAAAAAAAAAAAAAAAAAAAAQEAAAAAAAAAAAAAAAAAAAAAEAEAAAAAAAAAAAAAAAAA",
    "AAAAEQEAAAAAAAAAAAAAAAAAAAAA/8AAEQgACAAIAwESAAISAAMSAP/aAAwDAQACEQMRAD8AAA//2Q=="
  ].join(""),
  "base64"
)
