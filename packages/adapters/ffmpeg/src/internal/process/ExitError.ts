/**
 * Turns the exit of one of FFmpeg's programs into the port's error. No error contains a path or an address of this machine.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"

/** How a program exited. */
export interface Exit {
  readonly code: number
  /** The signal that killed it, such as `SIGSEGV`. */
  readonly signal: string | undefined
  /** The beginning and the end of its standard error. */
  readonly stderr: string
}

const maxLines = 3
const maxCharacters = 300

// FFmpeg repeats texts of the file, so that no two matches may be tried over the same characters: a chain of schemes begins at no scheme
// of another chain, and a component contains no bracket.
const path = /(?:(?<![\w.<:+-])(?:[a-z][a-z0-9+.-]*:)+|(?<![\w.<]))\/+[^\s'"]+/gi
const component = /\[[^[\]]*@ (?:0x)?[0-9a-f]+\]\s*/gi

/** The level that FFmpeg puts before each of its lines. Lines of other programs have none. */
const level = /^\[(\w+)\]\s*/
const harmlessLevels = new Set(["warning", "info", "verbose", "debug", "trace"])

/** Returns the error message in a line; empty if the line is not an error. */
const cleanLine = (line: string): string => {
  const text = line
    .replaceAll(/\u001b\[[\d;]*m/g, "")
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\s]+/g, " ")
    .trim()
    .replaceAll(component, "")
  return harmlessLevels.has(level.exec(text)?.[1] ?? "")
    ? ""
    : text.replace(level, "").replaceAll(path, "a file").trim()
}

const splitLines = (stderr: string): ReadonlyArray<string> => stderr.split(/\r?\n|\r/)

/** Returns the error messages. FFmpeg prints a file's own metadata at level info, so that it cannot pass for an error. */
const errors = (stderr: string): ReadonlyArray<string> =>
  splitLines(stderr)
    .map(cleanLine)
    .filter((line) => line !== "" && !line.startsWith("Last message repeated"))

/**
 * Returns the last distinct error messages without escape sequences, addresses and paths. `privatePaths` are paths of this
 * run, such as its directories; they may contain spaces.
 */
export const clean = (stderr: string, privatePaths: ReadonlyArray<string>): string => {
  const text = privatePaths
    .filter((name) => name.length > 1)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, name) => rest.replaceAll(`file:${name}`, "the input").replaceAll(name, "the input"), stderr)
  return [...new Set(errors(text))].slice(-maxLines).join("; ").slice(0, maxCharacters)
}

interface Classification {
  readonly reason: TranscodeError.Reason
  readonly detail?: string
}

const tooMuchTime: Classification = { reason: "LimitExceeded", detail: "It took too much processor time." }
const terminated: Classification = { reason: "Unavailable", detail: "The converter was terminated." }

const messages: ReadonlyArray<readonly [RegExp, Classification]> = [
  // Programs that confine ffmpeg print their errors without a level.
  [/^(?:bwrap|setpriv): /, { reason: "Internal", detail: "" }],
  // The kernel sends SIGXCPU once per second; ffmpeg exits at the fourth signal.
  [/^Received > 3 system signals/, tooMuchTime],
  [/No space left on device|Disk quota exceeded/, { reason: "StorageFull" }],
  [/File too large/, { reason: "LimitExceeded", detail: "The result is too large." }],
  [
    /exceeds specified max pixel count|Picture size [1-9]\d*x[1-9]\d* is invalid/,
    { reason: "LimitExceeded", detail: "The picture is too large." }
  ],
  [
    // EAGAIN: a thread got no memory for its stack. x264 does not say why it does not open; its arguments are right for any picture.
    /Cannot allocate memory|malloc of size|Out of memory|Resource temporarily unavailable|Error while opening encoder/,
    { reason: "LimitExceeded", detail: "It took too much memory." }
  ],
  [
    /No such filter: '(?:zscale|tonemap)'/,
    { reason: "Unsupported", detail: "The ffmpeg of this deployment cannot convert HDR: it lacks zimg." }
  ],
  [/Too many packets buffered for output stream/, { reason: "Failed", detail: "A track begins too late." }],
  [/Unknown encoder|Requested output format .* is not (?:a suitable|known)/, { reason: "Unavailable" }],
  [/Decoder \S+ .*not found|Decoding requested, but no decoder|Unknown decoder/, { reason: "Unsupported" }]
]

const signals: { readonly [signal: string]: Classification } = {
  SIGXCPU: tooMuchTime,
  SIGXFSZ: { reason: "LimitExceeded", detail: "The result is too large." },
  SIGKILL: { reason: "Unavailable", detail: "The converter was killed." },
  SIGTERM: terminated,
  SIGINT: terminated,
  SIGHUP: terminated
}

/** Classifies a normal exit after a signal, whose number ffmpeg prints: 24 is SIGXCPU. */
const classifyNormalExit = (stderr: string): Classification | undefined => {
  const [, number] =
    splitLines(stderr)
      .map((line) => /^\[info\] Exiting normally, received signal (\d+)\.$/.exec(line))
      .find((found) => found !== null) ?? []
  return number === undefined ? undefined : number === "24" ? tooMuchTime : terminated
}

/**
 * Whether ffmpeg could not open the link to the input. The content is not to blame: its file has gone, or another program has removed
 * the link.
 */
const lacksInput = (stderr: string): boolean =>
  /^\[\w+\] file:\S*\/input: (?:No such file or directory|Permission denied)$/m.test(stderr)

/** FFmpeg's names of containers of video and audio that are not opened. */
const otherContainers = new Set(
  "4xm ac3 aiff amr ape au bink caf dsf dts dtshd dv eac3 gxf iff ivf mpc mpc8 mxf nsv nut nuv oma rm smk swf tak truehd tta voc w64 wtv wv xwma yuv4mpegpipe".split(
    " "
  )
)

/** Classifies a content whose format is not opened: it is media, or a picture, a playlist or a text. FFmpeg's message is the list of formats. */
const classifyFormat = (stderr: string, otherwise: TranscodeError.Reason): Classification | undefined => {
  const [, name] = /^\[(\w+)[^\]]* @ [^\]]*\] \[error\] Format not on whitelist/m.exec(stderr) ?? []
  if (name === undefined) return undefined
  return otherContainers.has(name)
    ? { reason: "Unsupported", detail: "Its format is not supported." }
    : { reason: otherwise, detail: "" }
}

const classify = ({ signal, stderr }: Exit): Classification | undefined => {
  if (signal !== undefined)
    return signals[signal] ?? { reason: "Failed", detail: "The converter crashed because of the content." }
  if (lacksInput(stderr)) return { reason: "Unavailable", detail: "The converter could not open the content." }
  const found = errors(stderr)
  return classifyNormalExit(stderr) ?? messages.find(([message]) => found.some((line) => message.test(line)))?.[1]
}

/** Returns the error of a program that failed. `otherwise` is the reason if neither signal nor messages show one. */
export const fromExit = (
  operation: string,
  exit: Exit,
  otherwise: TranscodeError.Reason,
  privatePaths: ReadonlyArray<string>
): TranscodeError.TranscodeError => {
  const { detail, reason }: Classification = classify(exit) ??
    classifyFormat(exit.stderr, otherwise) ?? { reason: otherwise }
  return new TranscodeError.TranscodeError({
    operation,
    reason,
    detail: detail ?? clean(exit.stderr, privatePaths),
    cause: new Error(`exit code ${exit.code}: ${exit.stderr}`)
  })
}
