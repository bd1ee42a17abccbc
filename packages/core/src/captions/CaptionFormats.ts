/**
 * Reads WebVTT (W3C) and SubRip (SRT), and returns their cues as WebVTT. Both consist of lines, with an empty line after each cue:
 *
 *     WEBVTT                                1
 *                                           00:00:01,000 --> 00:00:04,000
 *     00:01.000 --> 00:04.000 line:90%      Hello!
 *     Hello!
 */
import * as Result from "effect/Result"

/** Cues of one text. Each takes memory of a player. */
const maxCues = 20_000

/** What is wrong with a text, and where; lines count from 1. */
export interface CaptionFault {
  readonly line: number
  readonly detail: string
}

interface Lines {
  readonly lines: ReadonlyArray<string>
  /** Index of the first line of a block. */
  readonly start: number
  /** Index of the line after it, which is empty, or after the last one. */
  readonly end: number
}

const time = "(?:(\\d{1,4}):)?([0-5]\\d):([0-5]\\d)[.,](\\d{3})"
const timing = new RegExp(`^[ \\t]*${time}[ \\t]+-->[ \\t]+${time}(?:[ \\t]+(.*))?$`)

const fail = (index: number, detail: string) => Result.fail<CaptionFault>({ line: index + 1, detail })

const toMillis = (hours: string | undefined, minutes = "", seconds = "", fraction = ""): number =>
  ((Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(fraction)

const twoDigits = (value: number): string => String(value).padStart(2, "0")

const toTime = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits).join(":")
  return `${clock}.${String(millis % 1000).padStart(3, "0")}`
}

/** Tags that SubRip and WebVTT have in common. */
const tag = /^<\/?[biu]>/

/** Returns a line of SubRip as one of WebVTT: colours and positions are left out, other special characters escaped. */
const fromSubRip = (line: string): string =>
  line
    .replaceAll(/\{\\an?\d+\}|<\/?font(?:\s[^<>]*)?>/gi, "")
    .replaceAll(/&(?!(?:amp|lt|gt|lrm|rlm|nbsp);)/g, "&amp;")
    .replaceAll(/<[biu]>|<\/[biu]>|</gi, (found) => (tag.test(found.toLowerCase()) ? found.toLowerCase() : "&lt;"))

/** Returns a cue as WebVTT; an empty text for one that shows nothing. */
const readCue = ({ end, lines, start }: Lines, isWebVtt: boolean): Result.Result<string, CaptionFault> => {
  const hasId = lines[start]?.includes("-->") !== true
  const at = hasId ? start + 1 : start
  const found = at < end ? timing.exec(lines[at] ?? "") : null
  if (found === null) {
    const example = isWebVtt ? "00:00:01.000 --> 00:00:04.000" : "00:00:01,000 --> 00:00:04,000"
    const line = at < end && lines[at]?.includes("-->") === true ? at : start
    return fail(line, `a cue must begin with its times, such as ${example}`)
  }
  const [, h1, m1, s1, f1, h2, m2, s2, f2, settings = ""] = found
  const [from, to] = [toMillis(h1, m1, s1, f1), toMillis(h2, m2, s2, f2)]
  if (to <= from) return fail(at, "a cue must end after it begins")
  const text = lines.slice(at + 1, end)
  const second = text.findIndex((line) => line.includes("-->"))
  if (second >= 0) return fail(at + 1 + second, "an empty line must precede the next cue")
  if (text.length === 0) return Result.succeed("")
  const times = `${toTime(from)} --> ${toTime(to)}`
  const cue = isWebVtt
    ? [...(hasId ? [lines[start] ?? ""] : []), settings === "" ? times : `${times} ${settings}`, ...text]
    : [times, ...text.map(fromSubRip)]
  return Result.succeed(cue.join("\n"))
}

/** Returns the blocks of lines between empty lines. */
const toBlocks = (lines: ReadonlyArray<string>): ReadonlyArray<Lines> => {
  const blocks: Array<Lines> = []
  let start = 0
  for (let index = 0; index <= lines.length; index++) {
    if (index < lines.length && lines[index]?.trim() !== "") continue
    if (index > start) blocks.push({ lines, start, end: index })
    start = index + 1
  }
  return blocks
}

const isNote = (line: string): boolean => /^NOTE(?:[ \t]|$)/.test(line)
const isDefinition = (line: string): boolean => /^(?:STYLE|REGION)[ \t]*$/.test(line)

/** Returns the cues of a text as WebVTT, without its header; styles and regions precede them. */
export const read = (text: string): Result.Result<string, CaptionFault> => {
  const lines = text
    .toWellFormed()
    .replace(/^\uFEFF/, "")
    .replaceAll("\0", "\uFFFD")
    .split(/\r\n|\r|\n/)
  const isWebVtt = /^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? "")
  const [header, ...rest] = toBlocks(lines)
  if (header === undefined) return fail(0, "the text is empty; it must be WebVTT or SubRip")
  if (isWebVtt) {
    const cue = lines.slice(0, header.end).findIndex((line) => line.includes("-->"))
    if (cue >= 0) return fail(cue, "an empty line must follow the header of WebVTT")
  }
  const parts: Array<string> = []
  let cues = 0
  for (const block of isWebVtt ? rest : [header, ...rest]) {
    const first = lines[block.start] ?? ""
    if (isWebVtt && isNote(first)) continue
    if (isWebVtt && cues === 0 && isDefinition(first)) {
      parts.push(lines.slice(block.start, block.end).join("\n"))
      continue
    }
    const cue = readCue(block, isWebVtt)
    if (Result.isFailure(cue)) return Result.fail(cue.failure)
    if (cue.success === "") continue
    cues++
    if (cues > maxCues) return fail(block.start, `the text must have at most ${maxCues} cues`)
    parts.push(cue.success)
  }
  return cues === 0 ? fail(0, "the text has no cues") : Result.succeed(parts.join("\n\n"))
}
