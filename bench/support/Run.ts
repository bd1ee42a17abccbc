/**
 * Runs scenarios on databases. What fails to run is told and counted, and the rest goes on.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Arguments } from "./Arguments.ts"
import { attempt, type BenchFailure } from "./BenchFailure.ts"
import type { Comparison } from "./stats/Comparison.ts"
import * as Database from "./fixtures/Database.ts"
import * as Load from "./load/Load.ts"
import { spaceNeeded } from "./fixtures/Sizes.ts"
import type { Scenario } from "./Stage.ts"
import * as Table from "./stats/Table.ts"
import * as Workspace from "./fixtures/Workspace.ts"

const tell = (line: string): Effect.Effect<void> => Effect.sync(() => void process.stderr.write(`${line}\n`))

const print = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(text))

/** Undefined where it failed. */
const orTold = <A, R>(name: string, self: Effect.Effect<A, BenchFailure, R>): Effect.Effect<A | undefined, never, R> =>
  Effect.catch(self, (failure) => Effect.as(tell(`${name} failed: ${failure.message}`), undefined))

const open = (name: "sqlite" | "postgres"): Effect.Effect<Database.Database, BenchFailure, Scope.Scope> =>
  name === "sqlite" ? Effect.succeed(Database.sqlite) : Database.postgres

/** Everything that was asked for. Returns how much of it failed to run. */
export const run = (args: Arguments): Effect.Effect<number, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const { databases, scenarios, sizes } = args
    const workspace = yield* Workspace.make(args.directory, spaceNeeded(sizes))
    const comparisons: Array<Comparison> = []
    let failures = 0

    const play = (scenario: Scenario, database: Database.Database) =>
      Effect.scoped(
        Effect.gen(function* () {
          const directory = yield* Workspace.scratch(join(workspace, `${scenario.name}-`))
          const load = yield* Load.start(join(directory, "load.log"))
          return yield* scenario.run({ directory, database, sizes, load, profile: args.profile })
        })
      )

    for (const name of databases) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const database = yield* orTold(name, open(name))
          if (database === undefined) return void failures++
          for (const scenario of scenarios) {
            yield* tell(`${scenario.name} on ${name}…`)
            const results = yield* orTold(`${scenario.name} on ${name}`, play(scenario, database))
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
