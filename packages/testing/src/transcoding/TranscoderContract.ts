/**
 * The contract of the Transcoder port as tests. An adapter's test is
 *
 *     TranscoderContract.suite("my transcoder", MyTranscoder.layer({ ... }), samples)
 *
 * in a file that vitest runs. The samples are files in formats that the transcoder supports.
 */
import { layer as tests } from "@effect/vitest"
import type { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Converting from "./contract/internal/Converting.ts"
import * as Interrupting from "./contract/internal/Interrupting.ts"
import * as Ladders from "./contract/internal/Ladders.ts"
import * as Limiting from "./contract/internal/Limiting.ts"
import * as Posters from "./contract/internal/Posters.ts"
import * as Probing from "./contract/internal/Probing.ts"
import * as Repackaging from "./contract/internal/Repackaging.ts"
import * as Suspending from "./contract/internal/Suspending.ts"
import { SampleFiles, type Samples } from "./contract/Samples.ts"

export type { Samples }

export interface Options {
  /** Timeout of one test. Default: 60 seconds. */
  readonly timeout?: Duration.Input
}

/** Registers the tests. Layer and samples are built once for all tests. */
export const suite = <E, E2>(
  name: string,
  layer: Layer.Layer<Transcoder, E>,
  samples: Effect.Effect<Samples, E2, Scope.Scope>,
  options: Options = {}
): void => {
  // Without the test services: a transcoder runs in real time.
  tests(Layer.merge(layer, Layer.effect(SampleFiles, samples)), {
    excludeTestServices: true,
    timeout: Duration.toMillis(options.timeout ?? "60 seconds")
  })(name, (it) => {
    Probing.register(it)
    Converting.register(it)
    Repackaging.register(it)
    Ladders.register(it)
    Interrupting.register(it)
    Suspending.register(it)
    Limiting.register(it)
    Posters.register(it)
  })
}
