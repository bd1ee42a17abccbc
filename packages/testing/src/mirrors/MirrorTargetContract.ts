/**
 * The contract suite of the MirrorTarget port. It has a test for every sentence of the port's documentation that can be tested
 * from outside.
 *
 * @example
 *   MirrorTargetContract.suite("my target", Layer.effect(MirrorSubject.MirrorSubject, …))
 */
import { layer as tests } from "@effect/vitest"
import * as Duration from "effect/Duration"
import type * as Layer from "effect/Layer"
import * as Atomicity from "./contract/internal/Atomicity.ts"
import * as Describing from "./contract/internal/Describing.ts"
import * as Failing from "./contract/internal/Failing.ts"
import * as Listing from "./contract/internal/Listing.ts"
import * as Memory from "./contract/internal/Memory.ts"
import * as Names from "./contract/internal/Names.ts"
import * as Reading from "./contract/internal/Reading.ts"
import type * as Settings from "./contract/internal/Settings.ts"
import * as Writing from "./contract/internal/Writing.ts"
import type * as MirrorSubject from "./MirrorSubject.ts"

const mebibyte = 1024 * 1024

export interface Options {
  /** Size in bytes above which the target sends an object in more than one request. Default: 1 MiB. */
  readonly partBytes?: number
  /** Size of the largest object, in bytes. Default: 64 MiB. */
  readonly largeBytes?: number
  /** False for a target that keeps objects in the memory of the process. Default: true. */
  readonly boundedMemory?: boolean
  /** Number of objects to list; more than one page of a listing has. Default: 1,100. */
  readonly manyObjects?: number
  /** Whether the target cannot have an object of a name that a file may have. Default: it can have every name. */
  readonly isInvalidName?: (name: string) => boolean
  /** Timeout of one test. Default: 60 seconds; 5 minutes for the largest object and for many objects. */
  readonly timeout?: Duration.Input
}

/** Registers the tests with vitest. All tests share one build of the layer; each has its own bucket. */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<MirrorSubject.MirrorSubject, E>,
  options: Options = {}
): void => {
  const timeout = options.timeout === undefined ? undefined : Duration.toMillis(options.timeout)
  const settings: Settings.Settings = {
    partBytes: options.partBytes ?? mebibyte,
    largeBytes: options.largeBytes ?? 64 * mebibyte,
    boundedMemory: options.boundedMemory ?? true,
    manyObjects: options.manyObjects ?? 1100,
    isInvalidName: options.isInvalidName ?? (() => false),
    timeout: timeout ?? 60_000,
    largeTimeout: timeout ?? 300_000
  }
  // Without Effect's test services: targets have real connections and need real time.
  tests(layer, { excludeTestServices: true, timeout: "2 minutes" })(name, (it) => {
    Writing.register(it, settings)
    Atomicity.register(it, settings)
    Reading.register(it, settings)
    Names.register(it, settings)
    Describing.register(it, settings)
    Listing.register(it, settings)
    Memory.register(it, settings)
    Failing.register(it, settings)
  })
}
