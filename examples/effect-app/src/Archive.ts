/**
 * A service of one's own over Holdfast's: it keeps reports, each under its day. What it needs is in its type, and what
 * can go wrong, too.
 */
import type { Actor } from "@holdfast/core/Actor"
import { Downloads } from "@holdfast/core/files/Downloads"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { Files } from "@holdfast/core/files/Files"
import { Uploads } from "@holdfast/core/files/Uploads"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const downloads = yield* Downloads
  const files = yield* Files
  return {
    /** Keeps the lines of a report as they come; the id of its file. */
    keep: <E>(actor: Actor, bucket: BucketRef, day: string, lines: Stream.Stream<string, E>) =>
      uploads
        .upload(
          actor,
          bucket,
          lines.pipe(
            Stream.map((line) => `${line}\n`),
            Stream.encodeText
          ),
          Effect.succeed({ name: `${day}.txt`, path: "/reports/" }),
          {}
        )
        .pipe(Effect.map(({ id }) => id)),

    /** The lines of a report. */
    lines: (actor: Actor, bucket: BucketRef, file: string) =>
      Stream.unwrap(
        Effect.map(downloads.open(actor, { ...bucket, fileId: file }), (download) =>
          download.read().pipe(Stream.decodeText, Stream.splitLines)
        )
      ),

    days: (actor: Actor, bucket: BucketRef) =>
      Effect.map(files.list(actor, bucket, { path: "/reports/" }), ({ items }) =>
        items.map(({ name }) => name.replace(/\.txt$/, ""))
      )
  }
})

export class Archive extends Context.Service<Archive, Effect.Success<typeof make>>()("effect-app/Archive") {
  static readonly layer: Layer.Layer<Archive, never, Uploads | Downloads | Files> = Layer.effect(Archive, make)
}
