/**
 * Runs operations on databases and observes the neighbour. A failure is printed and counted, and the other operations still
 * run.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Neighbour from "@holdfast/testing/neighbour/Neighbour"
import * as Database from "../support/fixtures/Database.ts"
import * as TemporaryDirectory from "../support/fixtures/TemporaryDirectory.ts"
import * as Priority from "../support/processes/Priority.ts"
import { attempt, BenchFailure } from "../support/run/BenchFailure.ts"
import { print, printProgress } from "../support/run/Main.ts"
import type { Arguments } from "./Arguments.ts"
import type { Operation } from "./Operation.ts"
import * as Result from "./Result.ts"
import * as Site from "./Site.ts"
import { spaceNeeded } from "./Sizes.ts"
import * as Template from "./Template.ts"

/** Attempts at an operation while other work of the machine disturbs it. */
const maxAttempts = 3

/** How long the neighbour is observed after the operation, in milliseconds, for what the service still does. */
const afterwards = 1000

/** Stops waiting for the work after this time. What it has begun goes on in the service. */
const limited = <E, R>(work: Effect.Effect<string, E, R>, longestMs: number | undefined) =>
  longestMs === undefined
    ? work
    : Effect.timeoutOrElse(work, {
        duration: longestMs,
        orElse: () => Effect.succeed(`not ended after ${longestMs / 1000} s`)
      })

/** Runs one operation, and again while the machine is too busy to measure it. */
const observe = (
  site: Site.Site,
  operation: Operation,
  args: Pick<Arguments, "goalMs" | "longestMs">,
  number = 1
): Effect.Effect<Result.Result, BenchFailure> =>
  Effect.gen(function* () {
    const result = yield* Effect.scoped(
      Effect.gen(function* () {
        const { work } = yield* operation.prepare(site)
        const start = performance.now()
        const timed = Effect.map(limited(work, args.longestMs), (note) => ({
          note,
          seconds: (performance.now() - start) / 1000
        }))
        const observed = Effect.tap(timed, () => Effect.sleep(afterwards))
        const { result, ...waits } = yield* Neighbour.observe({ url: site.neighbourView }, Priority.lowered(observed))
        const about = { operation: operation.name, database: site.database.name, attempts: number }
        return { ...about, ...result, ...waits }
      })
    )
    if (number === maxAttempts || !Result.isNoise(result, args.goalMs)) return result
    const again = yield* observe(site, operation, args, number + 1)
    return again.neighbour.worstMs < result.neighbour.worstMs ? again : result
  }).pipe(Effect.catchTag("NeighbourError", ({ message }) => Effect.fail(new BenchFailure({ message }))))

/** With templates, PostgreSQL keeps its databases among them. */
const openDatabase = (name: Database.Database["name"], templates: string | undefined) =>
  Effect.gen(function* () {
    if (templates === undefined) return yield* Database.open(name)
    const directory = join(templates, "cluster")
    yield* attempt(directory, () => mkdir(directory, { recursive: true }))
    return yield* Database.open(name, directory)
  })

/** Runs the operations and prints their results. Returns how many failed to run or missed the goal. */
export const run = (args: Arguments): Effect.Effect<number, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const { goalMs, json, operations, profile, sizes, templates } = args
    const parent = yield* TemporaryDirectory.make(args.directory, spaceNeeded(sizes))
    const results: Array<Result.Result> = []
    let failures = 0
    const orCount = <A, R>(name: string, self: Effect.Effect<A, BenchFailure, R>) =>
      Effect.catch(self, ({ message }) => {
        failures++
        return printProgress(`${name} failed: ${message}`)
      })

    const runOn = (name: "sqlite" | "postgres") =>
      Effect.gen(function* () {
        const database = yield* openDatabase(name, templates)
        const directory = yield* TemporaryDirectory.withPrefix(join(parent, `${name}-`))
        const resumed =
          templates === undefined ? undefined : yield* Template.copy({ parent: templates, database, sizes }, directory)
        const site = yield* Site.start({ directory, database, sizes, profile, resumed })
        for (const operation of operations) {
          if (operation.databases?.includes(name) === false) continue
          yield* printProgress(`${operation.name} on ${name}…`)
          const observed = Effect.tap(observe(site, operation, args), (result) => {
            results.push(result)
            // A run that is stopped has printed what it has measured.
            return printProgress(`  worst wait ${Math.round(result.neighbour.worstMs)} ms; ${result.note}`)
          })
          yield* orCount(`${operation.name} on ${name}`, observed)
        }
      })

    for (const name of args.databases) yield* orCount(name, Effect.scoped(runOn(name)))
    if (results.length > 0) {
      yield* print(`\n${Result.render(results, goalMs)}`)
    }
    if (json !== undefined) {
      yield* attempt(`Writing ${json}`, () => writeFile(json, `${JSON.stringify({ goalMs, results }, undefined, 2)}\n`))
    }
    return failures + results.filter((result) => Result.verdict(result, goalMs) !== "yes").length
  })
