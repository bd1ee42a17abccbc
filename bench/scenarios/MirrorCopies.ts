/**
 * Measures many small files and a few large ones that are copied to a new bucket: by a mirror from its creation until all
 * are copied, and by the bare SDK with the same concurrency.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as SdkUploadsProcess from "../support/baselines/SdkUploadsProcess.ts"
import type { HoldfastService } from "../support/fixtures/HoldfastService.ts"
import * as Mirrors from "../support/fixtures/Mirrors.ts"
import { gib } from "../support/fixtures/Sizes.ts"
import { sequence } from "../support/load/LoadJob.ts"
import * as Requests from "../support/load/Requests.ts"
import { attempt } from "../support/run/BenchFailure.ts"
import type { Scenario, ScenarioContext } from "../support/run/Scenario.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as CpuMeter from "../support/stats/CpuMeter.ts"
import * as Measurement from "../support/stats/Measurement.ts"
import * as Rounds from "../support/stats/Rounds.ts"

/** The default of one mirror. */
const concurrency = 8

interface Files {
  readonly title: string
  readonly count: number
  readonly bytes: number
  readonly unit: "file" | "GiB"
}

const compare = Effect.fnUntraced(function* (
  { database, directory, runLoad, sizes }: ScenarioContext,
  service: HoldfastService,
  sdk: SdkUploadsProcess.SdkUploadsProcess,
  { bytes, count, title, unit }: Files
) {
  const { port, tenancy } = service
  const bucketId = yield* tenancy.createBucket(title)
  const path = tenancy.path(`buckets/${bucketId}/files/upload`)
  const requests = [Requests.postForm(path, `stored-${sequence}.bin`, bytes)]
  yield* runLoad({ port, requests, connections: 4, count, status: 201, firstNumber: 0 })
  const file = join(directory, `${title}.bin`)
  yield* attempt("A file", () => writeFile(file, Buffer.alloc(bytes, "holdfast")))
  const units = unit === "file" ? count : (count * bytes) / gib
  let buckets = 0
  const nextBucket = () => `${title.replaceAll(" ", "-")}-${database.name}-${buckets++}`

  const sdkRound = Effect.suspend(() => {
    const uploads = sdk.run({ bucket: nextBucket(), file, count, concurrency })
    const cpu = { server: CpuMeter.ofProcess(sdk.pid) }
    return Effect.map(Measurement.measure(cpu, units, uploads), ([sample]) => sample)
  })
  const mirrorRound = Effect.gen(function* () {
    const bucket = nextBucket()
    yield* SdkUploadsProcess.createBucket(sdk, bucket)
    const copies = Effect.tap(Mirrors.create(service, bucketId, sdk.gateway, bucket), (id) =>
      Mirrors.awaitCopies(service, bucketId, id, count)
    )
    const [sample, id] = yield* Measurement.measure(service.cpu, units, copies)
    yield* Mirrors.remove(service, bucketId, id)
    return sample
  })
  // The gateway stores all copies in memory, so the large files are copied without a warm-up: the code is warm already.
  const isWarm = unit === "GiB"
  const subjects = [
    { name: "SDK", warmUp: isWarm ? Effect.void : sdkRound, round: sdkRound },
    { name: "mirror", warmUp: isWarm ? Effect.void : mirrorRound, round: mirrorRound }
  ]
  const [base, subject] = yield* Rounds.interleave(subjects, sizes.mirrors.rounds)
  if (base === undefined || subject === undefined) return []
  const about = { database: database.name, unit, base, subject, goal: 1.15 }
  return [
    Comparison.make({ ...about, scenario: `mirror ${title}` }),
    Comparison.make({ ...about, scenario: `mirror ${title}, by the clock`, by: "wall" })
  ]
})

export const mirrorCopies: Scenario = {
  name: "mirror-copies",
  description: "files of 16 KiB and 256 MiB copied to S3, against the same uploads by the bare SDK",
  run: Effect.fnUntraced(function* (context) {
    const { large, largeBytes, small } = context.sizes.mirrors
    const sdk = yield* SdkUploadsProcess.start(join(context.directory, "sdk.log"))
    const service = yield* Mirrors.startService(context)
    const few = yield* compare(context, service, sdk, {
      title: "large files",
      count: large,
      bytes: largeBytes,
      unit: "GiB"
    })
    const many = yield* compare(context, service, sdk, {
      title: "small files",
      count: small,
      bytes: 16_384,
      unit: "file"
    })
    return [...many, ...few]
  })
}
