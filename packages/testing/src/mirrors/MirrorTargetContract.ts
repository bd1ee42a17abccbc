/**
 * The contract of the MirrorTarget port as tests. An adapter's whole test is
 *
 *     MirrorTargetContract.suite("my target", Layer.effect(MirrorSubject.MirrorSubject, …))
 *
 * in a file that vitest runs. Every sentence of the port's documentation that can be tried from outside has a test here.
 */
import { layer as tests } from "@effect/vitest"
import * as Duration from "effect/Duration"
import type * as Layer from "effect/Layer"
import * as Atomicity from "./contract/Atomicity.ts"
import * as Describing from "./contract/Describing.ts"
import * as Failing from "./contract/Failing.ts"
import * as Listing from "./contract/Listing.ts"
import * as Memory from "./contract/Memory.ts"
import * as Names from "./contract/Names.ts"
import type * as Settings from "./contract/Settings.ts"
import * as Writing from "./contract/Writing.ts"
import type * as MirrorSubject from "./MirrorSubject.ts"

const mebibyte = 1024 * 1024

export interface Options {
  /** Bytes above which the target sends an object in more than one request. Default: 1 MiB. */
  readonly partBytes?: number
  /** Bytes of the largest object. Default: 64 MiB. */
  readonly largeBytes?: number
  /** A target that keeps objects in the process's memory cannot keep the promise about memory. Default: true. */
  readonly boundedMemory?: boolean
  /** Objects to list, more than fit in one page. Default: 1,100. */
  readonly manyObjects?: number
  /** Whether the target cannot hold a name that a file may have. Default: it holds every one. */
  readonly isUnfit?: (name: string) => boolean
  /** For one test. Default: 60 seconds, and 5 minutes for the largest object and for many. */
  readonly timeout?: Duration.Input
}

/** Registers the tests. The layer is built once for all of them; each has a bucket of its own. */
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
    isUnfit: options.isUnfit ?? (() => false),
    timeout: timeout ?? 60_000,
    largeTimeout: timeout ?? 300_000
  }
  // Without the test services: targets are reached over real connections, in real time.
  tests(layer, { excludeTestServices: true, timeout: "2 minutes" })(name, (it) => {
    Writing.register(it, settings)
    Atomicity.register(it, settings)
    Names.register(it, settings)
    Describing.register(it, settings)
    Listing.register(it, settings)
    Memory.register(it, settings)
    Failing.register(it, settings)
  })
}
