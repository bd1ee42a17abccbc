/**
 * Reads WebVTT (W3C) and SubRip (SRT), and returns their cues as WebVTT. Both consist of lines, with an empty line after each cue:
 *
 *     WEBVTT                                1
 *                                           00:00:01,000 --> 00:00:04,000
 *     00:01.000 --> 00:04.000 line:90%      Hello!
 *     Hello!
 *
 * A text is half a megabyte at most, and takes some hundred milliseconds if it consists of empty lines or special characters only.
 * Therefore it is read in turns, between which other fibers run.
 */
import * as Effect from "effect/Effect"

/** Lines, cues and special characters that are read in a turn: cues take longest, some two milliseconds. */
const stepsPerTurn = 1024

/** Counts the steps of all turns. */
interface Steps {
  count: number
}

/** Counts a step. Returns whether the turn is over. */
const isTurnOver = (steps: Steps): boolean => ++steps.count % stepsPerTurn === 0

/** Cues of one text. Each takes memory of a player. */
const maxCues = 20_000

/** What is wrong with a text, and where; lines count from 1. */
export interface CaptionFault {
  readonly line: number
  readonly detail: string
}

/** Lines between empty lines. */
interface Block {
  /** The lines, with a line feed between two of them. */
  readonly text: string
  /** Index of the first line. */
  readonly line: number
}

const time = "(?:(\\d{1,4}):)?([0-5]\\d):([0-5]\\d)[.,](\\d{3})"
// Settings may contain U+2028, which ends no line of WebVTT.
const timing = new RegExp(`^[ \\t]*${time}[ \\t]+-->[ \\t]+${time}(?:[ \\t]+(.*))?$`, "s")

const fail = (index: number, detail: string) => Effect.fail<CaptionFault>({ line: index + 1, detail })

const toMillis = (hours: string | undefined, minutes = "", seconds = "", fraction = ""): number =>
  ((Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(fraction)

const twoDigits = (value: number): string => String(value).padStart(2, "0")

const toTime = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits).join(":")
  return `${clock}.${String(millis % 1000).padStart(3, "0")}`
}

/** Returns the line that begins at an offset. */
const lineAt = (text: string, start: number): string => {
  const end = text.indexOf("\n", start)
  return end < 0 ? text.slice(start) : text.slice(start, end)
}

/** Returns how many lines end before an offset. */
function* countLines(text: string, offset: number, steps: Steps): Effect.fn.Return<number> {
  let count = 0
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", end + 1)) {
    count++
    if (isTurnOver(steps)) yield* Effect.yieldNow
  }
  return count
}

/** Replaces each match of a global pattern. */
function* replaceAll(
  text: string,
  pattern: RegExp,
  replace: (found: string) => string,
  steps: Steps
): Effect.fn.Return<string> {
  let result = ""
  let parts: Array<string> = []
  let end = 0
  for (;;) {
    // Another fiber may have used the pattern in its turn.
    pattern.lastIndex = end
    const found = pattern.exec(text)
    if (found === null) return end === 0 ? text : result + parts.join("") + text.slice(end)
    parts.push(text.slice(end, found.index), replace(found[0]))
    end = found.index + found[0].length
    if (!isTurnOver(steps)) continue
    result += parts.join("")
    parts = []
    yield* Effect.yieldNow
  }
}

const lineEnd = /\r\n?/g
const nul = /\0/g
const colourOrPosition = /\{\\an?\d+\}|<\/?font(?:[^\S\n][^<>\n]*)?>/gi
const unescaped = /&(?!(?:amp|lt|gt|lrm|rlm|nbsp);)/g
const tagOrLess = /<\/?[biu]>|</gi

/** Returns lines of SubRip as those of WebVTT: colours and positions are left out, other special characters escaped. */
function* fromSubRip(lines: string, steps: Steps): Effect.fn.Return<string> {
  const plain = yield* replaceAll(lines, colourOrPosition, () => "", steps)
  const escaped = yield* replaceAll(plain, unescaped, () => "&amp;", steps)
  return yield* replaceAll(escaped, tagOrLess, (found) => (found === "<" ? "&lt;" : found.toLowerCase()), steps)
}

/** Returns a cue as WebVTT; an empty text for one that shows nothing. */
function* readCue({ line, text }: Block, isWebVtt: boolean, steps: Steps): Effect.fn.Return<string, CaptionFault> {
  const first = lineAt(text, 0)
  const hasId = !first.includes("-->")
  const timesLine = hasId ? line + 1 : line
  const start = hasId ? first.length + 1 : 0
  const times = lineAt(text, start)
  const found = timing.exec(times)
  if (found === null) {
    const example = isWebVtt ? "00:00:01.000 --> 00:00:04.000" : "00:00:01,000 --> 00:00:04,000"
    return yield* fail(times.includes("-->") ? timesLine : line, `a cue must begin with its times, such as ${example}`)
  }
  const [, h1, m1, s1, f1, h2, m2, s2, f2, settings = ""] = found
  const [from, to] = [toMillis(h1, m1, s1, f1), toMillis(h2, m2, s2, f2)]
  if (to <= from) return yield* fail(timesLine, "a cue must end after it begins")
  const shown = text.slice(start + times.length + 1)
  const second = shown.indexOf("-->")
  if (second >= 0) {
    const before = yield* countLines(shown, second, steps)
    return yield* fail(timesLine + 1 + before, "an empty line must precede the next cue")
  }
  if (shown === "") return ""
  const written = `${toTime(from)} --> ${toTime(to)}`
  if (!isWebVtt) return `${written}\n${yield* fromSubRip(shown, steps)}`
  return `${hasId ? `${first}\n` : ""}${written}${settings === "" ? "" : ` ${settings}`}\n${shown}`
}

/** Returns the blocks of lines between empty lines. */
function* toBlocks(text: string, steps: Steps): Effect.fn.Return<ReadonlyArray<Block>> {
  const blocks: Array<Block> = []
  /** Where the block of the current line begins. */
  let start = 0
  let firstLine = 0
  for (let at = 0, line = 0; at <= text.length; line++) {
    if (isTurnOver(steps)) yield* Effect.yieldNow
    const current = lineAt(text, at)
    const next = at + current.length + 1
    if (current.trim() === "") {
      if (at > start) blocks.push({ text: text.slice(start, at - 1), line: firstLine })
      start = next
      firstLine = line + 1
    }
    at = next
  }
  if (start < text.length) blocks.push({ text: text.slice(start), line: firstLine })
  return blocks
}

const isNote = (line: string): boolean => /^NOTE(?:[ \t]|$)/.test(line)
const isDefinition = (line: string): boolean => /^(?:STYLE|REGION)[ \t]*$/.test(line)

/** Returns the cues of a text as WebVTT, without its header; styles and regions precede them. */
export const read = Effect.fnUntraced(function* (given: string): Effect.fn.Return<string, CaptionFault> {
  const steps: Steps = { count: 0 }
  const wellFormed = given.toWellFormed().replace(/^\uFEFF/, "")
  const lines = yield* replaceAll(wellFormed, lineEnd, () => "\n", steps)
  const text = yield* replaceAll(lines, nul, () => "\uFFFD", steps)
  const isWebVtt = /^WEBVTT(?:[ \t]|$)/.test(lineAt(text, 0))
  const [header, ...rest] = yield* toBlocks(text, steps)
  if (header === undefined) return yield* fail(0, "the text is empty; it must be WebVTT or SubRip")
  if (isWebVtt) {
    const cue = header.text.indexOf("-->")
    if (cue >= 0) {
      const before = yield* countLines(header.text, cue, steps)
      return yield* fail(before, "an empty line must follow the header of WebVTT")
    }
  }
  const parts: Array<string> = []
  let cues = 0
  for (const block of isWebVtt ? rest : [header, ...rest]) {
    if (isTurnOver(steps)) yield* Effect.yieldNow
    const first = lineAt(block.text, 0)
    if (isWebVtt && isNote(first)) continue
    if (isWebVtt && cues === 0 && isDefinition(first)) {
      parts.push(block.text)
      continue
    }
    const cue = yield* readCue(block, isWebVtt, steps)
    if (cue === "") continue
    cues++
    if (cues > maxCues) return yield* fail(block.line, `the text must have at most ${maxCues} cues`)
    parts.push(cue)
  }
  return cues === 0 ? yield* fail(0, "the text has no cues") : parts.join("\n\n")
})
