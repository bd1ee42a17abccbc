/**
 * Uploads a local file to a bucket.
 */
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Progress from "../terminal/Progress.ts"
import * as MultipartForm from "./MultipartForm.ts"
import * as RemoteBucket from "./RemoteBucket.ts"

export interface Options {
  /** Path of the local file. */
  readonly file: string
  /** Name of the file in the bucket. */
  readonly name: string
  /** Folder in the bucket. */
  readonly path: string
  readonly display?: Progress.Display
}

const sizeOf = (file: string): Effect.Effect<number, RemoteBucket.RemoteError> =>
  Effect.tryPromise({
    try: () => Fs.promises.stat(file),
    catch: (cause) => new RemoteBucket.RemoteError({ message: `${file} cannot be read: ${String(cause)}` })
  }).pipe(
    Effect.flatMap((stats) =>
      stats.isFile()
        ? Effect.succeed(stats.size)
        : Effect.fail(new RemoteBucket.RemoteError({ message: `${file} is not a regular file.` }))
    )
  )

/**
 * Reads exactly `size` bytes of a file, because the request has declared that length. Throws if the file is shorter.
 */
const readContent = async function* (file: string, size: number, progress: Progress.Progress): AsyncGenerator<Buffer> {
  if (size === 0) return
  let sent = 0
  for await (const chunk of Fs.createReadStream(file, { end: size - 1, highWaterMark: 256 * 1024 })) {
    sent += chunk.length
    progress.add(chunk.length)
    yield chunk
  }
  if (sent < size) throw new Error(`${file} was truncated during the upload`)
}

/** Uploads a file. Returns the record of the new file as JSON text. */
export const run = (
  bucket: RemoteBucket.RemoteBucket,
  options: Options
): Effect.Effect<string, RemoteBucket.RemoteError> =>
  Effect.gen(function* () {
    const { display, file, name, path } = options
    const size = yield* sizeOf(file)
    const progress = yield* Effect.acquireRelease(
      Effect.sync(() => Progress.make(name, size, display)),
      ({ finish }) => Effect.sync(finish)
    )
    const record = { name, path }
    const { body, headers } = MultipartForm.make(record, size, readContent(file, size, progress))
    const response = yield* RemoteBucket.send(bucket, { method: "POST", path: "/upload", headers, body })
    return yield* Effect.flatMap(RemoteBucket.expectStatus(response, 201), RemoteBucket.readText)
  }).pipe(Effect.scoped)
