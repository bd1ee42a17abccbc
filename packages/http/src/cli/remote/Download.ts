/**
 * Downloads a file of a bucket to the local disk or to standard output.
 */
import * as Effect from "effect/Effect"
import { createHash, randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import type { IncomingMessage } from "node:http"
import * as Path from "node:path"
import { Transform, type Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Progress from "../terminal/Progress.ts"
import * as RemoteBucket from "./RemoteBucket.ts"

export interface Options {
  /** Id of the file, or `@` and its alias. */
  readonly file: string
  /** Path to write to; `-` is standard output. By default the name of the file, in the current directory. */
  readonly output: string | undefined
  /** Whether an existing local file is replaced. */
  readonly force: boolean
  readonly display?: Progress.Display
}

/** The members of a file's record that a download needs. */
interface FileRecord {
  readonly name: string
  /** Hexadecimal. */
  readonly sha256: string | undefined
}

const failure = (message: string) => new RemoteBucket.RemoteError({ message })

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null

const parseRecord = (text: string): Effect.Effect<FileRecord, RemoteBucket.RemoteError> =>
  Effect.try({
    try: (): FileRecord => {
      const record: unknown = JSON.parse(text)
      if (!isObject(record) || typeof record["name"] !== "string") throw new TypeError("no name")
      const checksum = record["checksum"]
      const sha256 = isObject(checksum) ? checksum["sha256"] : undefined
      return { name: record["name"], sha256: typeof sha256 === "string" ? sha256 : undefined }
    },
    catch: () => failure("The response of the service is not the record of a file.")
  })

const getRecord = (
  bucket: RemoteBucket.RemoteBucket,
  file: string
): Effect.Effect<FileRecord, RemoteBucket.RemoteError> =>
  RemoteBucket.send(bucket, { method: "GET", path: `/${toSegment(file)}` }).pipe(
    Effect.flatMap((response) => RemoteBucket.expectStatus(response, 200)),
    Effect.flatMap(RemoteBucket.readText),
    Effect.flatMap(parseRecord),
    Effect.scoped
  )

/** Encodes an id or alias for a path. The `@` of an alias is not encoded: the service recognizes aliases by it. */
const toSegment = (file: string): string => encodeURIComponent(file).replace(/^%40/, "@")

/** Copies the body of a response to a stream. Returns its SHA-256 in hexadecimal. */
const copyBody = (response: IncomingMessage, target: Writable, progress: Progress.Progress) =>
  Effect.tryPromise({
    try: async (signal) => {
      const hash = createHash("sha256")
      const meter = new Transform({
        transform: (chunk: Buffer, _encoding, done) => {
          hash.update(chunk)
          progress.add(chunk.length)
          done(null, chunk)
        }
      })
      await pipeline(response, meter, target, { signal, end: target !== process.stdout })
      return hash.digest("hex")
    },
    catch: (cause) => failure(`The download failed: ${messageOf(cause)}`)
  })

const verifyChecksum = (sha256: string, record: FileRecord): Effect.Effect<void, RemoteBucket.RemoteError> =>
  record.sha256 === undefined || record.sha256 === sha256
    ? Effect.void
    : Effect.fail(
        failure(
          "The downloaded bytes do not match the checksum of the file's record. Download again: the file may have been replaced during the download."
        )
      )

/**
 * Writes a draft beside the target and renames it when it is complete and durable. Removes the draft on a failure. Its name is that of no
 * other file, nor of another download to the same target.
 */
const writeFile = (
  target: string,
  force: boolean,
  write: (draft: Writable) => Effect.Effect<void, RemoteBucket.RemoteError>
) => {
  const draft = Path.join(Path.dirname(target), `.holdfast-${randomUUID()}.part`)
  return Effect.gen(function* () {
    yield* write(Fs.createWriteStream(draft, { flags: "wx", flush: true }))
    yield* refuseExisting(target, force)
    yield* Effect.tryPromise({
      try: () => Fs.promises.rename(draft, target),
      catch: (cause) => failure(`${target} cannot be written: ${messageOf(cause)}`)
    })
  }).pipe(Effect.onError(() => Effect.promise(() => Fs.promises.rm(draft, { force: true }))))
}

/** Fails if the target exists and must not be replaced. */
const refuseExisting = (target: string, force: boolean): Effect.Effect<void, RemoteBucket.RemoteError> =>
  Effect.suspend(() =>
    !force && Fs.existsSync(target) ? Effect.fail(failure(`${target} exists. Replace it with --force.`)) : Effect.void
  )

/**
 * Returns the path that is written when the caller names none. A name in a bucket contains no slash; `basename` removes what this system
 * treats as a directory nevertheless. `-` would be standard output: the content of a stranger would control the terminal.
 */
const toPath = (name: string): string => {
  const base = Path.basename(name)
  return base === "-" ? "./-" : base
}

/** Downloads a file and verifies its checksum. Returns the path that was written, or `-`. */
export const run = (
  bucket: RemoteBucket.RemoteBucket,
  options: Options
): Effect.Effect<string, RemoteBucket.RemoteError> =>
  Effect.gen(function* () {
    const record = yield* getRecord(bucket, options.file)
    const target = options.output ?? toPath(record.name)
    if (target !== "-") yield* refuseExisting(target, options.force)
    const request = { method: "GET", path: `/${toSegment(options.file)}/download` } as const
    const response = yield* Effect.flatMap(RemoteBucket.send(bucket, request), (answer) =>
      RemoteBucket.expectStatus(answer, 200)
    )
    const length = response.headers["content-length"]
    const progress = yield* Effect.acquireRelease(
      Effect.sync(() => Progress.make(record.name, length === undefined ? undefined : Number(length), options.display)),
      ({ finish }) => Effect.sync(finish)
    )
    const write = (stream: Writable) =>
      Effect.flatMap(copyBody(response, stream, progress), (sha256) => verifyChecksum(sha256, record))
    yield* target === "-" ? write(process.stdout) : writeFile(target, options.force, write)
    return target
  }).pipe(Effect.scoped)
