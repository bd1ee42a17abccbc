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
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as StoreIdentity from "../../support/StoreIdentity.ts"

const partSize = 5_000

/** A step that the program has requested, or that was acknowledged, of an upload. */
export interface Line extends UploadRef {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly mode: "APPEND" | "PARTS"
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
  const sizes = line.state === "open" ? [parts, parts + 1] : [parts]
  if (!sizes.some((count) => count * partSize === bytes.length))
    return [`${fileId}: ${bytes.length} bytes, not ${parts} parts`]
  const isRight = bytes.every((byte, index) => byte === Math.floor(index / partSize) + 1)
  return isRight ? [] : [`${fileId}: other bytes than were acknowledged`]
}

/** Returns what is wrong with an upload. Completes it when `finish` is set and it is open. */
const checkUpload = async (holdfast: Holdfast, line: Line, finish: boolean): Promise<Array<string>> => {
  const system = holdfast.system()
  const upload = await absent(holdfast.uploads.get(system, line))
  const { bucketId, fileId, parts, state, tenantId, uploadId } = line
  if (upload === undefined) return state === "aborting" || state === "aborted" ? [] : [`${uploadId}: is lost`]
  if (state === "aborted") return [`${uploadId}: is back`]
  if (upload.state === "DONE" || finish) {
    const file = await holdfast.uploads.complete(system, { tenantId, bucketId, uploadId })
    const isSame = fileId === undefined || fileId === file.id
    return [...(isSame ? [] : [`${uploadId}: made another file`]), ...(await checkFile(holdfast, line, file.id))]
  }
  if (state === "completed") return [`${uploadId}: is open again`]
  const stored = await holdfast.uploads.listParts(system, line)
  const numbers = stored.items.map(({ number }) => number)
  const isRight =
    numbers.length >= parts &&
    numbers.length <= parts + 1 &&
    numbers.every((number, index) => number === index + 1) &&
    upload.received === numbers.length * partSize
  return isRight ? [] : [`${uploadId}: has the parts ${numbers} and ${upload.received} bytes, not ${parts} parts`]
}

/** The machine's clock, so many milliseconds ahead. */
const aheadBy = (millis: number) =>
  Effect.map(Clock.Clock, (clock) => ({
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    currentTimeNanos: clock.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration: Duration.Duration) => clock.sleep(duration)
  }))

/** Longer than uploads last without bytes. */
const untilExpired = Duration.toMillis(Duration.days(2))

/** Sweeps until nothing is left: the sweep that removes an upload dooms its parts. */
const sweepExpired = Effect.gen(function* () {
  const { sweep } = yield* Sweeper
  const ahead = Effect.provideService(sweep(), Clock.Clock, yield* aheadBy(untilExpired))
  yield* Effect.repeat(ahead, { until: ({ removed }) => removed === 0 })
})

/** Returns how many parts the files of all buckets have, and how many blobs the disk has. */
const countBlobs = async (holdfast: Holdfast, directory: string) => {
  const system = holdfast.system()
  let parts = 0
  for await (const { id: tenantId } of holdfast.tenants.iterate(system)) {
    for await (const { id: bucketId } of holdfast.buckets.iterate(system, { tenantId })) {
      const request = { tenantId, bucketId, recursive: true, expands: ["SIZE" as const], limit: 1000 }
      for await (const file of holdfast.files.iterate(system, request))
        parts += (file.expands?.size?.bytes ?? 0) / partSize
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
