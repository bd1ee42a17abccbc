/**
 * Runs scenarios on databases. A failure is printed and counted, and the other scenarios still run.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Database from "../fixtures/Database.ts"
import { spaceNeeded } from "../fixtures/Sizes.ts"
import * as TemporaryDirectory from "../fixtures/TemporaryDirectory.ts"
import * as LoadProcess from "../load/LoadProcess.ts"
import type { Comparison } from "../stats/Comparison.ts"
import * as Table from "../stats/Table.ts"
import type { Arguments } from "./Arguments.ts"
import { attempt, type BenchFailure } from "./BenchFailure.ts"
import { print, printProgress } from "./Main.ts"
import type { Scenario } from "./Scenario.ts"

/** Prints a failure and succeeds with undefined. */
const orPrintFailure = <A, R>(
  name: string,
  self: Effect.Effect<A, BenchFailure, R>
): Effect.Effect<A | undefined, never, R> =>
  Effect.catch(self, (failure) => Effect.as(printProgress(`${name} failed: ${failure.message}`), undefined))

/** Runs the scenarios and prints their results. Returns how many scenarios and databases failed to run. */
export const run = (args: Arguments): Effect.Effect<number, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const { databases, scenarios, sizes } = args
    const parent = yield* TemporaryDirectory.make(args.directory, spaceNeeded(sizes))
    const comparisons: Array<Comparison> = []
    let failures = 0

    const runScenario = (scenario: Scenario, database: Database.Database) =>
      Effect.scoped(
        Effect.gen(function* () {
          const directory = yield* TemporaryDirectory.withPrefix(join(parent, `${scenario.name}-`))
          const runLoad = yield* LoadProcess.start({ log: join(directory, "load.log") })
          return yield* scenario.run({ directory, database, sizes, runLoad, profile: args.profile })
        })
      )

    for (const name of databases) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const database = yield* orPrintFailure(name, Database.open(name))
          if (database === undefined) return void failures++
          for (const scenario of scenarios) {
            yield* printProgress(`${scenario.name} on ${name}…`)
            const results = yield* orPrintFailure(`${scenario.name} on ${name}`, runScenario(scenario, database))
            if (results === undefined) failures++
            else comparisons.push(...results)
          }
        })
      )
    }

    if (comparisons.length > 0) yield* print(`\n${Table.render(comparisons)}`)
    const { json } = args
    if (json !== undefined) {
      yield* attempt(`Writing ${json}`, () => writeFile(json, `${JSON.stringify({ comparisons }, undefined, 2)}\n`))
    }
    return failures
  })
