/**
 * One file of a bucket to the local disk.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import type { IncomingMessage } from "node:http"
import * as Path from "node:path"
import { Transform, type Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Progress from "./Progress.ts"
import * as RemoteBucket from "./RemoteBucket.ts"

export interface Options {
  /** A file's id, or its alias behind an `@`. */
  readonly file: string
  /** Where it goes; `-` is standard output. By default the name that it has in the bucket, in the current directory. */
  readonly output: string | undefined
  /** Whether a file that is there already is replaced. */
  readonly force: boolean
  readonly display?: Progress.Display
}

/** What the record says that is needed here. */
interface Record {
  readonly name: string
  /** Hexadecimal. */
  readonly sha256: string | undefined
}

const failure = (message: string) => new RemoteBucket.RemoteError({ message })

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null

const parse = (text: string): Effect.Effect<Record, RemoteBucket.RemoteError> =>
  Effect.try({
    try: (): Record => {
      const record: unknown = JSON.parse(text)
      if (!isObject(record) || typeof record["name"] !== "string") throw new TypeError("no name")
      const checksum = record["checksum"]
      const sha256 = isObject(checksum) ? checksum["sha256"] : undefined
      return { name: record["name"], sha256: typeof sha256 === "string" ? sha256 : undefined }
    },
    catch: () => failure("The service's answer is not a file record.")
  })

const describe = (bucket: RemoteBucket.RemoteBucket, file: string): Effect.Effect<Record, RemoteBucket.RemoteError> =>
  RemoteBucket.send(bucket, { method: "GET", path: `/${segment(file)}` }).pipe(
    Effect.flatMap((response) => RemoteBucket.expectStatus(response, 200)),
    Effect.flatMap(RemoteBucket.readText),
    Effect.flatMap(parse),
    Effect.scoped
  )

/** An alias keeps its `@`, by which the service knows it. */
const segment = (file: string): string => encodeURIComponent(file).replace(/^%40/, "@")

/** Copies the body, counting and hashing it. */
const copy = (response: IncomingMessage, target: Writable, progress: Progress.Progress) =>
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
    catch: (cause) => failure(`The download broke off: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

const verified = (found: string, record: Record): Effect.Effect<void, RemoteBucket.RemoteError> =>
  record.sha256 === undefined || record.sha256 === found
    ? Effect.void
    : Effect.fail(
        failure("The bytes that came are not those of the record: was the file replaced meanwhile? Try again.")
      )

const attempt = <A>(what: string, action: () => Promise<A>): Effect.Effect<A, RemoteBucket.RemoteError> =>
  Effect.tryPromise({
    try: action,
    catch: (cause) => failure(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

/** A draft beside the target, which takes its place once it is whole and durable; otherwise it goes. */
const toFile = (
  target: string,
  force: boolean,
  write: (draft: Writable) => Effect.Effect<void, RemoteBucket.RemoteError>
) => {
  const draft = `${target}.part`
  return Effect.gen(function* () {
    yield* write(Fs.createWriteStream(draft, { flush: true }))
    if (!force && Fs.existsSync(target)) return yield* failure(`${target} is there already; --force replaces it.`)
    yield* attempt(`${target} cannot be written`, () => Fs.promises.rename(draft, target))
  }).pipe(Effect.onError(() => Effect.promise(() => Fs.promises.rm(draft, { force: true }))))
}

/** Downloads a file and checks it against the record's checksum; where it went. */
export const run = (
  bucket: RemoteBucket.RemoteBucket,
  options: Options
): Effect.Effect<string, RemoteBucket.RemoteError> =>
  Effect.gen(function* () {
    const record = yield* describe(bucket, options.file)
    // Names in a bucket hold no slash; what another system takes for one is cut off all the same.
    const target = options.output ?? Path.basename(record.name)
    if (target !== "-" && !options.force && Fs.existsSync(target)) {
      return yield* failure(`${target} is there already; --force replaces it.`)
    }
    const request = { method: "GET", path: `/${segment(options.file)}/download` } as const
    const response = yield* Effect.flatMap(RemoteBucket.send(bucket, request), (answer) =>
      RemoteBucket.expectStatus(answer, 200)
    )
    const length = response.headers["content-length"]
    const progress = yield* Effect.acquireRelease(
      Effect.sync(() => Progress.make(record.name, length === undefined ? undefined : Number(length), options.display)),
      ({ finish: end }) => Effect.sync(end)
    )
    const write = (stream: Writable) =>
      Effect.flatMap(copy(response, stream, progress), (found) => verified(found, record))
    yield* target === "-" ? write(process.stdout) : toFile(target, options.force, write)
    return target
  }).pipe(Effect.scoped)
