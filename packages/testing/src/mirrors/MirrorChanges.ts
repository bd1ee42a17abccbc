/**
 * Changes of a bucket by chance, of every kind that mirrors follow; the same for the same seed.
 */
import * as Actor from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { Files } from "@holdfast/core/files/Files"
import { Uploads } from "@holdfast/core/files/Uploads"
import { Headers } from "@holdfast/core/headers/Headers"
import * as Effect from "effect/Effect"
import * as Generate from "../data/Generate.ts"

/** Folders that no file is named like, so that a local directory can hold what the bucket does. */
const folders = ["/", "/plain/", "/a b/c#d/", "/100%/", "/日本/åß/", "/👩‍👩‍👧/"]

/** Kinds of changes, and how often each is made in proportion. */
const weights = { upload: 4, overwrite: 3, move: 2, remove: 2, header: 1, metadata: 1 } as const
type Kind = keyof typeof weights

const kinds = Object.entries(weights).flatMap(([kind, weight]) =>
  Array.from({ length: weight }, (): Kind => kind as Kind)
)

/** Names that every store and every file system hold; rclone spells others in its own way. */
const isPlain = (name: string): boolean => !name.includes("\\")

/**
 * Makes this many changes. The first two upload an empty file and one of `largeBytes`, which stay: they get other names,
 * headers and metadata, but keep their contents.
 */
export const run = Effect.fnUntraced(function* (bucket: BucketRef, seed: number, count: number, largeBytes: number) {
  const [files, headers, uploads] = [yield* Files, yield* Headers, yield* Uploads]
  const names = Generate.fileNames(seed, count * 2).filter(isPlain)
  const ids: Array<string> = []
  let drawn = 0
  let named = 0
  let filled = 0

  const draw = (bound: number): number => Generate.integer(seed, drawn++, bound)
  const place = () => ({ path: folders[draw(folders.length)] ?? "/", name: `${seed} ${names[named++]}`.slice(0, 255) })
  const content = (bytes = draw(8) === 0 ? draw(300_000) : draw(3000)) =>
    Generate.stream(seed + ++filled, bytes, [10_000, 64 * 1024])
  const refOf = (index: number) => ({ ...bucket, fileId: ids[index] ?? "" })
  const upload = (bytes?: number) =>
    Effect.map(uploads.upload(Actor.system, bucket, content(bytes), Effect.succeed(place())), ({ id }) => ids.push(id))

  yield* upload(0)
  yield* upload(largeBytes)
  for (let change = 2; change < count; change++) {
    const kind = ids.length < 10 ? "upload" : (kinds[draw(kinds.length)] ?? "upload")
    const any = draw(ids.length)
    const ordinary = 2 + draw(ids.length - 2)
    switch (kind) {
      case "upload":
        yield* upload()
        break
      case "overwrite":
        yield* uploads.reupload(Actor.system, refOf(ordinary), content())
        break
      case "move":
        yield* files.update(Actor.system, refOf(any), place())
        break
      case "remove":
        yield* files.remove(Actor.system, refOf(ordinary))
        ids.splice(ordinary, 1)
        break
      case "header": {
        const name = ["Cache-Control", "Content-Language", "X-Own"][draw(3)] ?? ""
        yield* headers.set(Actor.system, refOf(any), { name, value: `max-age=${change}` })
        break
      }
      case "metadata":
        yield* files.update(Actor.system, refOf(any), { metadata: { change, by: "Zoë", list: [change, null] } })
    }
  }
})
