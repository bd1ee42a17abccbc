/**
 * The stores of contents that a service can be configured with, and what follows from their descriptors.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { UnionToIntersection } from "effect/Types"
import { ConfigError, type ConfigFault } from "../ConfigError.ts"
import * as OptionalPackage from "../OptionalPackage.ts"
import { type Setting, type ValuesOf, withDefault } from "../Setting.ts"
import * as SettingType from "../SettingType.ts"
import { azure } from "./AzureStore.ts"
import { gcs } from "./GcsStore.ts"
import { s3 } from "./S3Store.ts"

/** The descriptors. A new store is one line here. The order is that of the documentation. */
const byName = { s3, azure, gcs } as const

type Name = keyof typeof byName
type Options = { readonly [N in Name]: Parameters<(typeof byName)[N]["load"]>[0] }

const all = Object.values(byName)

/** The settings of the stores: which one is used, and those of each. */
export const settings = {
  blobs: withDefault(
    ["HOLDFAST_BLOBS"],
    SettingType.oneOf("fs", ...(Object.keys(byName) as ReadonlyArray<Name>)),
    "fs",
    `Store of file contents: fs is the data directory, ${all.map(({ name, product }) => `${name} is ${product}`).join(", ")}.`
  ),
  ...(Object.assign({}, ...all.map((type) => type.settings)) as UnionToIntersection<(typeof all)[number]["settings"]>)
}

export type Values = ValuesOf<typeof settings>

/** An object store that was chosen, with its options. */
export type ObjectStoreConfig = { readonly [N in Name]: { readonly store: N; readonly options: Options[N] } }[Name]

/** The store that was chosen. */
export type BlobStoreConfig = { readonly store: "fs" } | ObjectStoreConfig

// The same table, in the form in which TypeScript relates the name of a store to its options.
const loaders: {
  readonly [N in Name]: {
    readonly package: string
    readonly load: (options: Options[N]) => Promise<Layer.Layer<BlobStore, BlobError>>
  }
} = byName

/** Returns the store that the settings choose, or the fault that keeps them from working together. */
export const resolve = (values: Values): Result.Result<BlobStoreConfig, ConfigFault> => {
  const { blobs } = values
  for (const { bucket, name } of all) {
    const setting: Setting<unknown> = settings[bucket]
    if (name !== blobs && values[bucket] !== undefined) {
      return Result.fail({ source: setting.variables[0], problem: `cannot be used, since HOLDFAST_BLOBS is ${blobs}` })
    }
  }
  return blobs === "fs" ? Result.succeed({ store: blobs }) : byName[blobs].resolve(values)
}

/** Loads the adapter of an object store. Fails if its package is not installed. */
export const load = <N extends Name>({
  options,
  store
}: {
  readonly store: N
  readonly options: Options[N]
}): Effect.Effect<Layer.Layer<BlobStore, BlobError>, ConfigError> => {
  const { load, package: name } = loaders[store]
  return Effect.mapError(
    OptionalPackage.load(name, () => load(options)),
    ({ installation }) =>
      new ConfigError({
        faults: [{ source: settings.blobs.variables[0], problem: `is ${store}; ${installation}` }]
      })
  )
}
