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
const prefix = /^\[[^\]]*@ (?:0x)?[0-9a-f]+\]\s*/i

const cleanLine = (line: string): string =>
  line
    .replaceAll(/\u001b\[[\d;]*m/g, "")
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .trim()
    .replace(prefix, "")
    .replace(/^(?:Error|Fatal):\s*/i, "")
    .replaceAll(/\b0x[0-9a-f]{4,}\b/gi, "")
    .trim()

/**
 * The last distinct lines of a message, without escapes, addresses and paths. `names` are texts that must not show, such
 * as the directories of this work.
 */
export const clean = (words: string, names: ReadonlyArray<string>): string => {
  const bare = names
    .filter((name) => name.length > 1)
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, name) => text.replaceAll(`file:${name}`, "the input").replaceAll(name, "the input"), words)
  const lines = bare
    .split(/\r?\n|\r/)
    .map((line) => cleanLine(line).replaceAll(isPath, "a file"))
    .filter((line) => line !== "" && !line.startsWith("Last message repeated"))
  return [...new Set(lines)].slice(-mostLines).join("; ").slice(0, mostCharacters)
}

interface Verdict {
  readonly reason: TranscodeError.Reason
  readonly detail?: string
}

const signs: ReadonlyArray<readonly [RegExp, Verdict]> = [
  [/received signal 24/, { reason: "LimitExceeded", detail: "It took too much processor time." }],
  [/No space left on device|Disk quota exceeded/, { reason: "StorageFull" }],
  [/File too large/, { reason: "LimitExceeded", detail: "The result is too large." }],
  [
    /exceeds specified max pixel count|Picture size \S+ is invalid|[Vv]ideo size \S+ is invalid/,
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
  SIGXCPU: { reason: "LimitExceeded", detail: "It took too much processor time." },
  SIGXFSZ: { reason: "LimitExceeded", detail: "The result is too large." },
  SIGKILL: { reason: "Unavailable", detail: "The converter was killed." },
  SIGTERM: { reason: "Unavailable", detail: "The converter was ended." },
  SIGINT: { reason: "Unavailable", detail: "The converter was ended." },
  SIGHUP: { reason: "Unavailable", detail: "The converter was ended." }
}

const judge = ({ signal, words }: Ending): Verdict | undefined =>
  signal === undefined
    ? signs.find(([sign]) => sign.test(words))?.[1]
    : (signals[signal] ?? { reason: "Failed", detail: "The converter crashed over the content." })

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
