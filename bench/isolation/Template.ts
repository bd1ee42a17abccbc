/**
 * Filled databases that are kept: a run starts from a copy, because a large bucket takes minutes to fill.
 */
import { constants, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Database from "../support/fixtures/Database.ts"
import * as HoldfastService from "../support/fixtures/HoldfastService.ts"
import { attempt, type BenchFailure } from "../support/run/BenchFailure.ts"
import { printProgress } from "../support/run/Main.ts"
import * as Site from "./Site.ts"
import type { Sizes } from "./Sizes.ts"

export interface Options {
  /** The directory of all templates. */
  readonly parent: string
  readonly database: Database.Database
  readonly sizes: Sizes
}

const nameOf = ({ database, sizes }: Options): string => `${database.name}-${sizes.files}`

const record = "stored.json"

const read = (directory: string): Effect.Effect<Site.Stored | undefined> =>
  Effect.promise(async () => {
    const text = await readFile(join(directory, record), "utf8").catch(() => undefined)
    return text === undefined ? undefined : (JSON.parse(text) as Site.Stored)
  })

/** Fills a bucket through a service, and keeps the data of the service once it has stopped. */
const make = (options: Options, directory: string): Effect.Effect<Site.Stored, BenchFailure> =>
  Effect.gen(function* () {
    const { database, sizes } = options
    const unfinished = `${directory}.unfinished`
    yield* printProgress(`filling the template ${nameOf(options)}…`)
    yield* attempt(unfinished, async () => {
      await rm(unfinished, { recursive: true, force: true })
      await mkdir(unfinished, { recursive: true })
    })
    const { instance, stored } = yield* Effect.scoped(
      Effect.gen(function* () {
        const site = yield* Site.start({ directory: unfinished, database, sizes, profile: undefined })
        const largeBucket = yield* site.largeBucket
        return { instance: site.service.database, stored: { ...site.stored, largeBucket } }
      })
    )
    yield* database.keep(instance, nameOf(options))
    yield* attempt(directory, async () => {
      await writeFile(join(unfinished, record), JSON.stringify(stored))
      await rm(directory, { recursive: true, force: true })
      await rename(unfinished, directory)
    })
    return stored
  })

/** Copies the template of this database and size to the directory of a site. The template is made first if there is none. */
export const copy = (
  options: Options,
  directory: string
): Effect.Effect<NonNullable<Site.Options["resumed"]>, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const template = join(options.parent, nameOf(options))
    const stored = (yield* read(template)) ?? (yield* make(options, template))
    const data = HoldfastService.dataDirectory(directory)
    yield* attempt(`Copying ${template}`, () =>
      cp(HoldfastService.dataDirectory(template), data, { recursive: true, mode: constants.COPYFILE_FICLONE })
    )
    return { stored, database: yield* options.database.copy(nameOf(options), data) }
  })
