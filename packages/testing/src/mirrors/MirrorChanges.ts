/**
 * Pseudo-random changes of a bucket, of every kind that mirrors copy. The same seed makes the same changes.
 */
import * as Actor from "@holdfast/core/Actor"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { Files } from "@holdfast/core/files/Files"
import { Uploads } from "@holdfast/core/files/Uploads"
import { Headers } from "@holdfast/core/headers/Headers"
import * as Effect from "effect/Effect"
import * as Generate from "../data/Generate.ts"

/** Folders. No file has the name of one of them, so that a local directory can have the same files as the bucket. */
const folders = ["/", "/plain/", "/a b/c#d/", "/100%/", "/日本/åß/", "/👩‍👩‍👧/"]

/** Kinds of changes, with their relative frequencies. */
const weights = { upload: 4, overwrite: 3, move: 2, remove: 2, header: 1, metadata: 1 } as const
type Kind = keyof typeof weights

const kinds = Object.entries(weights).flatMap(([kind, weight]) =>
  Array.from({ length: weight }, (): Kind => kind as Kind)
)

/** Whether every store and every file system can have a name; rclone encodes other names. */
const isPlain = (name: string): boolean => !name.includes("\\")

/**
 * Makes this many changes. The first two upload an empty file and one of `largeBytes`. These two are never removed or overwritten;
 * only their names, headers and metadata change.
 */
export const run = Effect.fnUntraced(function* (bucket: BucketRef, seed: number, count: number, largeBytes: number) {
  const [files, headers, uploads] = [yield* Files, yield* Headers, yield* Uploads]
  const names = Generate.fileNames(seed, count * 2).filter(isPlain)
  const ids: Array<string> = []
  let draws = 0
  let usedNames = 0
  let contents = 0

  const draw = (bound: number): number => Generate.integer(seed, draws++, bound)
  const nextPlace = () => ({
    path: folders[draw(folders.length)] ?? "/",
    name: `${seed} ${names[usedNames++]}`.slice(0, 255)
  })
  const content = (bytes = draw(8) === 0 ? draw(300_000) : draw(3000)) =>
    Generate.stream(seed + ++contents, bytes, [10_000, 64 * 1024])
  const refOf = (index: number) => ({ ...bucket, fileId: ids[index] ?? "" })
  const upload = (bytes?: number) =>
    Effect.map(uploads.upload(Actor.system, bucket, content(bytes), Effect.succeed(nextPlace())), ({ id }) =>
      ids.push(id)
    )

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
        yield* files.update(Actor.system, refOf(any), nextPlace())
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
