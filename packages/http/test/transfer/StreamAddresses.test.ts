import { describe, expect, it } from "vitest"
import * as StreamAddresses from "../../src/transfer/response/StreamAddresses.ts"

const key = "hfp_A-b_c"

describe("StreamAddresses.addKey: HLS playlist", () => {
  const sign = (...lines: ReadonlyArray<string>) =>
    StreamAddresses.addKey("playlist.m3u8", lines.join("\n"), key).split("\n")

  it("lines that are not tags or comments → they get the key", () => {
    expect(sign("#EXTM3U", "#EXTINF:4.0,", "index0.ts", "", "# a comment", "480p/index1.ts", "")).toEqual([
      "#EXTM3U",
      "#EXTINF:4.0,",
      `index0.ts?apiKey=${key}`,
      "",
      "# a comment",
      `480p/index1.ts?apiKey=${key}`,
      ""
    ])
  })

  it("URI attributes of tags → they get the key", () => {
    expect(
      sign(
        `#EXT-X-MAP:URI="init.mp4",BYTERANGE="100@0"`,
        `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="URI=",URI="audio.m3u8"`,
        `#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1.4d401f,mp4a.40.2"`
      )
    ).toEqual([
      `#EXT-X-MAP:URI="init.mp4?apiKey=${key}",BYTERANGE="100@0"`,
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="URI=",URI="audio.m3u8?apiKey=${key}"`,
      `#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1.4d401f,mp4a.40.2"`
    ])
  })

  it("address with a query, CRLF → the query and the line end are kept", () => {
    expect(sign("index0.ts?a=1\r", "#EXT-X-ENDLIST\r")).toEqual([`index0.ts?a=1&apiKey=${key}\r`, "#EXT-X-ENDLIST\r"])
  })
})

describe("StreamAddresses.addKey: DASH manifest", () => {
  const sign = (text: string) => StreamAddresses.addKey("manifest.mpd", text, key)

  it("templates, initializations and segment lists → they get the key", () => {
    expect(
      sign(`<SegmentTemplate timescale="1" initialization="init-$RepresentationID$.m4s" media='c-$Number%05d$.m4s'>`)
    ).toBe(
      `<SegmentTemplate timescale="1" initialization="init-$RepresentationID$.m4s?apiKey=${key}" media='c-$Number%05d$.m4s?apiKey=${key}'>`
    )
    expect(sign(`<Initialization sourceURL="i.mp4"/><SegmentURL media="s.m4s?a=1"/>`)).toBe(
      `<Initialization sourceURL="i.mp4?apiKey=${key}"/><SegmentURL media="s.m4s?a=1&amp;apiKey=${key}"/>`
    )
  })

  it("BaseURL of a file → it gets the key, that of a folder does not", () => {
    expect(sign("<BaseURL>film.mp4</BaseURL><BaseURL>low/</BaseURL>")).toBe(
      `<BaseURL>film.mp4?apiKey=${key}</BaseURL><BaseURL>low/</BaseURL>`
    )
  })

  it("other attributes → unchanged", () => {
    const text = `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" mediaPresentationDuration="PT4S"><AdaptationSet mimeType="video/mp4" bitstreamSwitching="true"/></MPD>`
    expect(sign(text)).toBe(text)
  })
})

it("StreamAddresses.addKey: key with characters that need escaping → TypeError", () => {
  expect(() => StreamAddresses.addKey("playlist.m3u8", "a.ts", `x"\n`)).toThrow(TypeError)
})

describe("StreamAddresses.addKey: storyboard", () => {
  it("parts of sheets → they get the key before the fragment", () => {
    const text = "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nstoryboard0.jpg#xywh=0,0,160,90\n"
    expect(StreamAddresses.addKey("storyboard.vtt", text, key)).toBe(
      text.replace("storyboard0.jpg", `storyboard0.jpg?apiKey=${key}`)
    )
  })
})
