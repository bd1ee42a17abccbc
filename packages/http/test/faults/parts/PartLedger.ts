/**
 * What the program `upload-parts` has printed, and the differences between that and what a store has afterwards.
 */
import { type Holdfast, NotFound, open } from "@holdfast/core"
import * as PromiseApiContext from "@holdfast/core/promises/PromiseApiContext"
import { Fsck } from "@holdfast/core/storage/Fsck"
import { Sweeper } from "@holdfast/core/storage/Sweeper"
import type { UploadRef } from "@holdfast/core/uploads/UploadRepository"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as StoreIdentity from "../../support/StoreIdentity.ts"
import * as ClockAhead from "../../uploads/ClockAhead.ts"

const smallPart = 5_000

/** The least size of a part over S3 that is not the last one. */
const largePart = 5 * 1024 * 1024

/** How the program uploads a file. */
export type Client = "APPEND" | "PARTS" | "S3"

/** Parts of each file. */
export const partsOfFile = { APPEND: 4, PARTS: 4, S3: 2 } as const

/** Returns the bytes of a part. They are printable, so that a log of them is short. */
export const partOf = (client: Client, number: number): Uint8Array<ArrayBuffer> => {
  const isLarge = client === "S3" && number < partsOfFile.S3
  return new Uint8Array(isLarge ? largePart : smallPart).fill(0x30 + number)
}

/** Returns the bytes of the first so many parts. */
const contentOf = (client: Client, parts: number): Buffer =>
  Buffer.concat(Array.from({ length: parts }, (_, index) => partOf(client, index + 1)))

/** Returns how many parts a file of so many bytes has. */
const countParts = (bytes: number): number => Math.floor(bytes / largePart) + (bytes % largePart) / smallPart

/** A step that the program has requested, or that was acknowledged, of an upload. */
export interface Line extends UploadRef {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly client: Client
  /** Acknowledged parts. */
  readonly parts: number
  /** Completed and aborted are acknowledged, completing and aborting are requested. */
  readonly state: "open" | "completing" | "completed" | "aborting" | "aborted"
  readonly fileId?: string
}

/** Returns the last line of each upload up to a time, by default of all. */
export const latest = (lines: ReadonlyArray<Line>, time = Infinity): ReadonlyArray<Line> => {
  const byUpload = lines.filter(({ at }) => at <= time).map((line) => [line.uploadId, line] as const)
  return [...new Map(byUpload).values()]
}

/** Opens the store of the program, without jobs. */
export const openStore = (directory: string): Promise<Holdfast> =>
  open({
    metadata: sqlite({ file: Path.join(directory, "app.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") }),
    sweepEvery: false
  })

const absent = async <A>(promise: Promise<A>): Promise<A | undefined> => {
  try {
    return await promise
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

/** Returns what is wrong with a file of so many parts. */
const checkFile = async (holdfast: Holdfast, { parts, ...line }: Line, fileId: string): Promise<Array<string>> => {
  const download = await holdfast.files.read(holdfast.system(), { ...line, fileId })
  const bytes = await download.bytes()
  // The part whose request ran may be there as well.
  const possible = (line.state === "open" ? [parts, parts + 1] : [parts]).map((count) => contentOf(line.client, count))
  if (possible.some((content) => content.equals(bytes))) return []
  return [`${fileId}: ${bytes.length} bytes, other ones than the ${parts} acknowledged parts`]
}

/** Returns what is wrong with an upload. Completes it when `finish` is set and it is open. */
const checkUpload = async (holdfast: Holdfast, line: Line, finish: boolean): Promise<Array<string>> => {
  const system = holdfast.system()
  const upload = await absent(holdfast.uploads.get(system, line))
  const { bucketId, client, fileId, parts, state, tenantId, uploadId } = line
  if (upload === undefined) return state === "aborting" || state === "aborted" ? [] : [`${uploadId}: is lost`]
  if (state === "aborted") return [`${uploadId}: is back`]
  if (upload.state === "DONE" || finish) {
    const file = await holdfast.uploads.complete(system, { tenantId, bucketId, uploadId })
    const isSame = fileId === undefined || fileId === file.id
    return [...(isSame ? [] : [`${uploadId}: made another file`]), ...(await checkFile(holdfast, line, file.id))]
  }
  if (state === "completed") return [`${uploadId}: is open again`]
  const stored = await holdfast.uploads.listParts(system, { tenantId, bucketId, uploadId })
  const numbers = stored.items.map(({ number }) => number)
  const isRight =
    numbers.length >= parts &&
    numbers.length <= parts + 1 &&
    numbers.every((number, index) => number === index + 1) &&
    upload.received === contentOf(client, numbers.length).length
  return isRight ? [] : [`${uploadId}: has the parts ${numbers} and ${upload.received} bytes, not ${parts} parts`]
}

/** Longer than uploads last without bytes. */
const untilExpired = Duration.days(2)

/** Sweeps once, as after the expiry of all uploads. */
const sweepExpired = Effect.gen(function* () {
  const { sweep } = yield* Sweeper
  yield* ClockAhead.by(untilExpired)(sweep())
})

/** Returns how many parts the files of all buckets have, and how many blobs the disk has. */
const countBlobs = async (holdfast: Holdfast, directory: string) => {
  const system = holdfast.system()
  let parts = 0
  for await (const { id: tenantId } of holdfast.tenants.iterate(system)) {
    for await (const { id: bucketId } of holdfast.buckets.iterate(system, { tenantId })) {
      const request = { tenantId, bucketId, recursive: true, expands: ["SIZE" as const], limit: 1000 }
      for await (const file of holdfast.files.iterate(system, request))
        parts += countParts(file.expands?.size?.bytes ?? 0)
    }
  }
  const blobs = Fs.readdirSync(Path.join(directory, "files"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("lock."))
    .filter((entry) => !StoreIdentity.isIdentity(Path.join(entry.parentPath, entry.name)))
  return { parts, blobs: blobs.length }
}

/**
 * Returns the differences between a store and what was printed, one line each. Continues half of the open uploads, lets the others
 * expire, and expects that only the parts of files are left then.
 */
export const audit = async (directory: string, expected: ReadonlyArray<Line>): Promise<Array<string>> => {
  const holdfast = await openStore(directory)
  const { services } = PromiseApiContext.of(holdfast)
  const findings = async () =>
    (await Effect.runPromiseWith(services)(Effect.flatMap(Fsck, ({ check }) => check()))).findings
  const faults: Array<string> = []
  if ((await findings()) > 0) faults.push("fsck has findings")
  for (const [index, line] of expected.entries()) {
    faults.push(...(await checkUpload(holdfast, line, line.state !== "aborting" && index % 2 === 0)))
  }
  await Effect.runPromiseWith(services)(sweepExpired)
  const { blobs, parts } = await countBlobs(holdfast, directory)
  if (blobs !== parts) faults.push(`${blobs} blobs on the disk, ${parts} parts of files`)
  if ((await findings()) > 0) faults.push("fsck has findings after the sweep")
  await holdfast.close()
  return faults
}
