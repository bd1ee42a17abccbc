import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as CaptionFormats from "../../src/captions/CaptionFormats.ts"

const cues = (text: string) => Effect.runPromise(CaptionFormats.read(text))
const fault = (text: string) => Effect.runPromise(Effect.flip(CaptionFormats.read(text)))

describe("WebVTT", () => {
  it("header, notes and line ends of all kinds → cues with whole times, with ids, settings, styles and regions", async () => {
    const text = [
      "\uFEFFWEBVTT - Holidays",
      "Kind: captions",
      "",
      "STYLE",
      "::cue { color: lime }",
      "",
      "NOTE",
      "not shown",
      "",
      "intro",
      "00:01.000 --> 00:04.500 line:90% align:start",
      "Hello <b>you</b> &amp; me",
      "second line",
      "",
      "",
      "01:02:03.004\t-->  1000:00:00.000",
      "end"
    ]
    const expected = [
      "STYLE\n::cue { color: lime }",
      "intro\n00:00:01.000 --> 00:00:04.500 line:90% align:start\nHello <b>you</b> &amp; me\nsecond line",
      "01:02:03.004 --> 1000:00:00.000\nend"
    ].join("\n\n")
    for (const end of ["\n", "\r\n", "\r"]) expect(await cues(text.join(end))).toBe(expected)
  })

  it.each([
    ["no times", "WEBVTT\n\n1\nHello", 3, "must begin with its times"],
    ["wrong times", "WEBVTT\n\n1\n00:00:01 --> 00:00:02.000\nHello", 4, "such as 00:00:01.000 --> 00:00:04.000"],
    ["minutes above 59", "WEBVTT\n\n00:60:01.000 --> 01:00:02.000\nHello", 3, "must begin with its times"],
    ["ends before it begins", "WEBVTT\n\n00:02.000 --> 00:01.000\nHello", 3, "must end after it begins"],
    ["no empty line", "WEBVTT\n\n00:01.000 --> 00:02.000\nA\n00:03.000 --> 00:04.000\nB", 5, "empty line"],
    ["cue in the header", "WEBVTT\n00:01.000 --> 00:02.000\nA", 2, "empty line"],
    ["no cues", "WEBVTT\n\nNOTE nothing", 1, "no cues"],
    ["empty", "", 1, "empty"]
  ])("%s → the line and the fault", async (_, text, line, detail) => {
    expect(await fault(text)).toEqual({ line, detail: expect.stringContaining(detail) })
  })
})

describe("SubRip", () => {
  it("numbers, commas, colours and positions → WebVTT; special characters are escaped", async () => {
    const text = [
      "1",
      "00:00:01,000 --> 00:00:04,000 X1:10 X2:20 Y1:1 Y2:2",
      '{\\an8}<font color="#ff0000">Tom & <I>Jerry</I></font> <3 &amp;',
      "",
      "2",
      "00:00:05,500 --> 00:00:06,000",
      "",
      "3",
      "0:00:07.000 --> 0:00:08.000",
      "last"
    ]
    expect(await cues(text.join("\r\n"))).toBe(
      "00:00:01.000 --> 00:00:04.000\nTom &amp; <i>Jerry</i> &lt;3 &amp;\n\n00:00:07.000 --> 00:00:08.000\nlast"
    )
  })

  it.each([
    ["text of another format", '{"a":1}', 1, "such as 00:00:01,000 --> 00:00:04,000"],
    ["a second cue without times", "1\n00:00:01,000 --> 00:00:02,000\nA\n\nB", 5, "must begin with its times"]
  ])("%s → the line and the fault", async (_, text, line, detail) => {
    expect(await fault(text)).toEqual({ line, detail: expect.stringContaining(detail) })
  })
})

it("line of times with half a million spaces before U+2028 → the cue with its settings", async () => {
  const times = (settings: string) => `WEBVTT\n\n00:01.000 --> 00:02.000${settings}\nA`
  expect(await cues(times(`${" ".repeat(500_000)}\u2028x`))).toBe("00:00:01.000 --> 00:00:02.000 \u2028x\nA")
  expect(await cues(times(" \t "))).toBe("00:00:01.000 --> 00:00:02.000\nA")
})

const cue = "00:01.000 --> 00:02.000\nA\n\n"

it("many cues → a fault; a hostile text of half a megabyte → read in linear time", async () => {
  expect(await fault(`WEBVTT\n\n${cue.repeat(20_001)}`)).toMatchObject({
    detail: expect.stringContaining("20000 cues")
  })
  for (const part of ["<", "<font ", "&", "{\\an", " ", "\n", "-->", "00:01.000 ", "\t-->"]) {
    const text = part.repeat(524_288 / part.length)
    expect(await fault(text)).toBeDefined()
    const shown = await Effect.runPromiseExit(CaptionFormats.read(`1\n00:00:01,000 --> 00:00:02,000\n${text}`))
    expect(shown._tag).toBe(text.trim() === "" || part.includes("-->") ? "Failure" : "Success")
  }
})

it.each([
  ["special characters in one line", `1\n00:00:01,000 --> 00:00:02,000\n${"<&".repeat(250_000)}`],
  ["lines of one cue", `1\n00:00:01,000 --> 00:00:02,000\n${"x\r".repeat(250_000)}`],
  ["cues", `WEBVTT\n\n${cue.repeat(18_000)}`],
  ["styles", `WEBVTT\n\n${"STYLE\nx\n\n".repeat(50_000)}${cue}`],
  ["notes", `WEBVTT\n\n${"NOTE\n\n".repeat(80_000)}${cue}`],
  ["empty lines", `WEBVTT\n${"\n".repeat(500_000)}${cue}`],
  ["NUL", `WEBVTT\n\n${cue}${"\0".repeat(400_000)}\n00:01.000 --> 00:02.000\nA`]
])("half a megabyte of %s → other fibers run while it is read", async (_, text) => {
  let turns = 0
  const count = Effect.forever(
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => turns++)
    )
  )
  const isRead = await Effect.runPromise(Effect.raceFirst(Effect.as(CaptionFormats.read(text), true), count))
  expect(isRead).toBe(true)
  expect(turns).toBeGreaterThan(30)
})
