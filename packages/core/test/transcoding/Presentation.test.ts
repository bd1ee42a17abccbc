import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as StoredConversion from "../../src/conversions/StoredConversion.ts"
import { Presentation } from "../../src/transcoding/Presentation.ts"
import * as StreamFiles from "../../src/transcoding/StreamFiles.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Presentation))

/** Without the properties that came with languages and captions. */
const former = {
  format: "hls",
  duration: 12,
  hasVideo: true,
  hasAudio: true,
  renditions: [{ name: "720p", width: 1280, height: 720, frameRate: 25, bitrate: 2_600_000 }]
}

describe("Presentation", () => {
  it("stored before languages and captions → plays from the same files; the record has none of them", () => {
    const presentation = decode(JSON.stringify(former))
    assert.deepStrictEqual<object>(presentation, former)
    const [files] = StreamFiles.hlsRenditions(presentation)
    assert.deepStrictEqual([files.playlist, files.prefix], ["playlist.m3u8", ""])
    assert.strictEqual(StreamFiles.dashRepresentations(presentation), 2)
    const record = StoredConversion.toRecord({
      id: "cnv",
      format: "hls",
      mode: "auto",
      state: "READY",
      progress: 1,
      presentation,
      fault: null,
      startedAt: null,
      finishedAt: null
    })
    assert.deepStrictEqual([record.audio, record.captions, record.chapters], [[], [], []])
  })

  it("stored by a later version, with properties that this one does not know → they are ignored", () => {
    const later = { ...former, tracks: [{ name: "x" }], renditions: [{ ...former.renditions[0], hdr: true }] }
    assert.deepStrictEqual(decode(JSON.stringify(later)), decode(JSON.stringify(former)))
  })
})
