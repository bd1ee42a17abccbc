/**
 * A service over those of Holdfast: an archive with one report for each day. The types show the services that it needs and
 * the errors of its methods.
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
    /** Stores the report of a day, and returns the id of its file. */
    store: <E>(actor: Actor, bucket: BucketRef, day: string, lines: Stream.Stream<string, E>) =>
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

    /** Reads the lines of a report. */
    lines: (actor: Actor, bucket: BucketRef, fileId: string) =>
      Stream.unwrap(
        Effect.map(downloads.open(actor, { ...bucket, fileId }), (download) =>
          download.read().pipe(Stream.decodeText, Stream.splitLines)
        )
      ),

    /** Returns the days that have a report. */
    days: (actor: Actor, bucket: BucketRef) =>
      Effect.map(files.list(actor, bucket, { path: "/reports/" }), ({ items }) =>
        items.map(({ name }) => name.replace(/\.txt$/, ""))
      )
  }
})

export class Archive extends Context.Service<Archive, Effect.Success<typeof make>>()("effect-app/Archive") {
  static readonly layer: Layer.Layer<Archive, never, Uploads | Downloads | Files> = Layer.effect(Archive, make)
}
