/**
 * Many small files and a few large ones, copied to a fresh bucket: by a mirror from its creation to its end, and by the
 * bare SDK with the same number at once.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { attempt, type BenchFailure } from "../support/BenchFailure.ts"
import * as BareSdk from "../support/baselines/BareSdk.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import { sequence } from "../support/load/LoadJob.ts"
import * as Mirroring from "../support/fixtures/Mirroring.ts"
import * as Requests from "../support/load/Requests.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import { gib } from "../support/fixtures/Sizes.ts"
import type { Stage, Scenario } from "../support/Stage.ts"

/** Of one mirror, by default. */
const concurrency = 8

interface Files {
  readonly title: string
  readonly count: number
  readonly bytes: number
  readonly unit: "file" | "GiB"
}

/** Processor and wall time of one round, per unit. */
const measured = Effect.fnUntraced(function* (
  { bytes, count, unit }: Files,
  cpu: Effect.Effect<number, BenchFailure>,
  databaseCpu: Effect.Effect<number, BenchFailure>,
  work: Effect.Effect<unknown, BenchFailure>
) {
  const units = unit === "file" ? count : (count * bytes) / gib
  const before = yield* Effect.all([cpu, databaseCpu])
  const begun = performance.now()
  yield* work
  const wallMs = (performance.now() - begun) / units
  const after = yield* Effect.all([cpu, databaseCpu])
  return {
    cpuMs: ((after[0] - before[0]) * 1000) / units,
    databaseMs: ((after[1] - before[1]) * 1000) / units,
    wallMs
  }
})

const compare = Effect.fnUntraced(function* (stage: Stage, node: Mirroring.Node, bare: BareSdk.BareSdk, files: Files) {
  const { bytes, count, title, unit } = files
  const { holdfast, tenancy } = node
  const bucketId = yield* tenancy.createBucket(title)
  const path = tenancy.path(`buckets/${bucketId}/files/upload`)
  const requests = [Requests.postForm(path, `stored-${sequence}.bin`, bytes)]
  yield* stage.load({ port: holdfast.port, requests, connections: 4, count, status: 201, firstNumber: 0 })
  const file = join(stage.directory, `${title}.bin`)
  yield* attempt("A file", () => writeFile(file, Buffer.alloc(bytes, "holdfast")))
  let made = 0
  const bucketName = () => `${title.replaceAll(" ", "-")}-${stage.database.name}-${made++}`
  const ownCpu = CpuMeter.ofProcess(holdfast.pid)
  const databaseCpu = node.database.cpu ?? Effect.succeed(0)

  const bareRound = Effect.suspend(() => {
    const job = { bucket: bucketName(), file, count, concurrency }
    return measured(files, CpuMeter.ofProcess(bare.pid), Effect.succeed(0), bare.run(job))
  })
  const mirrorRound = Effect.gen(function* () {
    const bucket = bucketName()
    yield* bare.run({ bucket, file, count: 0, concurrency })
    let id = ""
    const work = Effect.gen(function* () {
      id = yield* Mirroring.create(node, bucketId, bare.gateway, bucket)
      yield* Mirroring.settled(node, bucketId, id, count)
    })
    const sample = yield* measured(files, ownCpu, databaseCpu, work)
    yield* Mirroring.remove(node, bucketId, id)
    return sample
  })
  // The gateway keeps all that is copied, in memory; the large files find everything warm.
  const isWarm = unit === "GiB"
  const subjects = [
    { name: "SDK", warmUp: isWarm ? Effect.void : bareRound, round: bareRound },
    { name: "mirror", warmUp: isWarm ? Effect.void : mirrorRound, round: mirrorRound }
  ]
  const [base, subject] = yield* Rounds.interleave(subjects, stage.sizes.mirrors.rounds)
  if (base === undefined || subject === undefined) return []
  const about = { database: stage.database.name, unit, base, subject, goal: 1.15 }
  return [
    Comparison.make({ ...about, scenario: `mirror ${title}` }),
    Comparison.make({ ...about, scenario: `mirror ${title}, by the clock`, by: "wall" })
  ]
})

export const mirrorCopies: Scenario = {
  name: "mirror-copies",
  about: "files of 16 KiB and 256 MiB copied to S3, against the same puts by the bare SDK",
  run: Effect.fnUntraced(function* (stage) {
    const { large, largeBytes, small } = stage.sizes.mirrors
    const bare = yield* BareSdk.start(join(stage.directory, "sdk.log"))
    const node = yield* Mirroring.start(stage)
    const few = yield* compare(stage, node, bare, {
      title: "large files",
      count: large,
      bytes: largeBytes,
      unit: "GiB"
    })
    const many = yield* compare(stage, node, bare, { title: "small files", count: small, bytes: 16_384, unit: "file" })
    return [...many, ...few]
  })
}
