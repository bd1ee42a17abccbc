/**
 * What FFmpeg's programs say and how they end, made into the port's error. Nothing of this machine gets into it: no path,
 * no address.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"

/** How a child ended, and its last words on standard error. */
export interface Ending {
  readonly code: number
  /** The signal that killed it, such as `SIGSEGV`. */
  readonly signal: string | undefined
  readonly words: string
}

const mostLines = 3
const mostCharacters = 300

const isPath = /(?<![\w.<])(?:[a-z][a-z0-9+.-]*:)*\/+[^\s'"]+/gi
const component = /\[[^\]]*@ (?:0x)?[0-9a-f]+\]\s*/gi

/** FFmpeg marks each of its lines with a level; what other programs say has none. */
const level = /^\[(\w+)\]\s*/
const harmless = new Set(["warning", "info", "verbose", "debug", "trace"])

/** What a line tells; empty when it is no error. */
const cleanLine = (line: string): string => {
  const text = line
    .replaceAll(/\u001b\[[\d;]*m/g, "")
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ")
    .trim()
    .replaceAll(component, "")
  return harmless.has(level.exec(text)?.[1] ?? "") ? "" : text.replace(level, "").replaceAll(isPath, "a file").trim()
}

const linesOf = (words: string): ReadonlyArray<string> => words.split(/\r?\n|\r/)

/** The errors among the words. What a file tells about itself is information only, so that it cannot pretend to be one. */
const errors = (words: string): ReadonlyArray<string> =>
  linesOf(words)
    .map(cleanLine)
    .filter((line) => line !== "" && !line.startsWith("Last message repeated"))

/**
 * The last distinct errors of a message, without escapes, addresses and paths. `names` are texts that must not show, such
 * as the directories of this work.
 */
export const clean = (words: string, names: ReadonlyArray<string>): string => {
  const bare = names
    .filter((name) => name.length > 1)
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, name) => text.replaceAll(`file:${name}`, "the input").replaceAll(name, "the input"), words)
  return [...new Set(errors(bare))].slice(-mostLines).join("; ").slice(0, mostCharacters)
}

interface Verdict {
  readonly reason: TranscodeError.Reason
  readonly detail?: string
}

const tooMuchTime: Verdict = { reason: "LimitExceeded", detail: "It took too much processor time." }
const ended: Verdict = { reason: "Unavailable", detail: "The converter was ended." }

const signs: ReadonlyArray<readonly [RegExp, Verdict]> = [
  // The kernel sends SIGXCPU once a second; ffmpeg takes the fourth signal as an order.
  [/^Received > 3 system signals/, tooMuchTime],
  [/No space left on device|Disk quota exceeded/, { reason: "StorageFull" }],
  [/File too large/, { reason: "LimitExceeded", detail: "The result is too large." }],
  [
    /exceeds specified max pixel count|Picture size [1-9]\d*x[1-9]\d* is invalid/,
    { reason: "LimitExceeded", detail: "The picture is too large." }
  ],
  [
    /Cannot allocate memory|malloc of size|Out of memory/,
    { reason: "LimitExceeded", detail: "It took too much memory." }
  ],
  [/Unknown encoder|Requested output format .* is not (?:a suitable|known)/, { reason: "Unavailable" }],
  [/Decoder \S+ .*not found|Decoding requested, but no decoder|Unknown decoder/, { reason: "Unsupported" }]
]

const signals: { readonly [signal: string]: Verdict } = {
  SIGXCPU: tooMuchTime,
  SIGXFSZ: { reason: "LimitExceeded", detail: "The result is too large." },
  SIGKILL: { reason: "Unavailable", detail: "The converter was killed." },
  SIGTERM: ended,
  SIGINT: ended,
  SIGHUP: ended
}

/** ffmpeg ends in good order at some signals, and tells their number: 24 is SIGXCPU. */
const orderly = (words: string): Verdict | undefined => {
  const [, number] =
    linesOf(words)
      .map((line) => /^\[info\] Exiting normally, received signal (\d+)\.$/.exec(line))
      .find((found) => found !== null) ?? []
  return number === undefined ? undefined : number === "24" ? tooMuchTime : ended
}

const judge = ({ signal, words }: Ending): Verdict | undefined => {
  if (signal !== undefined)
    return signals[signal] ?? { reason: "Failed", detail: "The converter crashed over the content." }
  const said = errors(words)
  return orderly(words) ?? signs.find(([sign]) => said.some((line) => sign.test(line)))?.[1]
}

/** The error of a child that did not do its work. `otherwise` is the reason where the words tell none. */
export const failure = (
  operation: string,
  ending: Ending,
  otherwise: TranscodeError.Reason,
  names: ReadonlyArray<string>
): TranscodeError.TranscodeError => {
  const { detail, reason }: Verdict = judge(ending) ?? { reason: otherwise }
  return new TranscodeError.TranscodeError({
    operation,
    reason,
    detail: detail ?? clean(ending.words, names),
    cause: new Error(`exit code ${ending.code}: ${ending.words}`)
  })
}
