/**
 * What most scenarios begin with: the baseline and the service, side by side.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as BareProcess from "../baselines/BareProcess.ts"
import type { BenchFailure } from "../BenchFailure.ts"
import * as CpuMeter from "./CpuMeter.ts"
import * as HoldfastProcess from "../fixtures/HoldfastProcess.ts"
import type { Stage } from "../Stage.ts"
import type * as Subjects from "../load/Subjects.ts"
import * as Tenancy from "../fixtures/Tenancy.ts"

/** What the subjects of one server have in common. */
type Common = Pick<Subjects.Options, "load" | "port" | "cpu" | "databaseCpu">

export interface Pair {
  readonly tenancy: Tenancy.Tenancy
  readonly holdfast: HoldfastProcess.Holdfast
  readonly onBare: Common
  readonly onHoldfast: Common
  /** Where the baseline stores bodies. */
  readonly bareDirectory: string
}

/** Starts both. The baseline serves the files named, of these sizes. */
export const start = (
  stage: Stage,
  files: ReadonlyArray<{ readonly name: "small" | "large"; readonly bytes: number }> = []
): Effect.Effect<Pair, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const { directory, load, profile } = stage
    const bareDirectory = join(directory, "bare")
    for (const { bytes, name } of files) yield* BareProcess.putFile(bareDirectory, name, bytes)
    const bare = yield* BareProcess.start(bareDirectory)
    const data = join(directory, "holdfast")
    const database = yield* stage.database.create(data)
    const holdfast = yield* HoldfastProcess.start({
      directory: data,
      database,
      profile,
      rootKey: yield* HoldfastProcess.mintRootKey
    })
    return {
      bareDirectory,
      holdfast,
      tenancy: yield* Tenancy.make(holdfast),
      onBare: { load, port: bare.port, cpu: CpuMeter.ofProcess(bare.pid) },
      onHoldfast: { load, port: holdfast.port, cpu: CpuMeter.ofProcess(holdfast.pid), databaseCpu: database.cpu }
    }
  })
