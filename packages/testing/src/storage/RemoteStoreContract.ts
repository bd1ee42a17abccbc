/**
 * The suite of BlobStores at a service that is reached over the network: parts, prefixes, misconfiguration, cut
 * connections and outages. It complements `BlobStoreContract`, which every store runs. An adapter's test is
 *
 *     RemoteStoreContract.suite("my store", Layer.effect(RemoteStoreSubject, …))
 *
 * in a file that vitest runs.
 */
import { layer as tests } from "@effect/vitest"
import type * as Layer from "effect/Layer"
import * as Keyspaces from "./remote/internal/Keyspaces.ts"
import * as Misconfiguration from "./remote/internal/Misconfiguration.ts"
import * as Outages from "./remote/internal/Outages.ts"
import type { CallName } from "./remote/RemoteStores.ts"
import type { RemoteStoreSubject } from "./remote/RemoteStoreSubject.ts"
import type * as Settings from "./remote/internal/Settings.ts"
import * as Uploads from "./remote/internal/Uploads.ts"

export interface Options {
  /**
   * The calls that fail with `Internal` on a misconfigured store. Default: `put`, `read`, `list` and `check`. A service
   * may answer the others as if a blob were missing.
   */
  readonly misconfiguredCalls?: ReadonlyArray<CallName>
}

/** Registers the tests. The layer is built once for all of them. Each test has a bucket of its own. */
export const suite = <E>(name: string, layer: Layer.Layer<RemoteStoreSubject, E>, options: Options = {}): void => {
  const settings: Settings.Settings = {
    misconfiguredCalls: options.misconfiguredCalls ?? ["put", "read", "list", "check"],
    timeout: 120_000
  }
  // Without the test services: the connections are real, and so is the time.
  tests(layer, { excludeTestServices: true, timeout: "2 minutes" })(name, (it) => {
    Uploads.register(it, settings)
    Keyspaces.register(it, settings)
    Misconfiguration.register(it, settings)
    Outages.register(it, settings)
  })
}
