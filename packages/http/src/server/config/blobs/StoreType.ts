/**
 * The descriptor of an object store that the service can keep contents in: its settings, the options that they give, and
 * the adapter that takes the options.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { ConfigFault } from "../ConfigError.ts"
import type { Setting, ValuesOf } from "../Setting.ts"

type SettingsOf<Table> = Readonly<Record<keyof Table, Setting<unknown>>>

/** The store that was chosen, with the options that its adapter takes. */
export interface Chosen<Name extends string, Options> {
  readonly store: Name
  readonly options: Options
}

/** Names and reports the settings of one store. */
export interface Faults<Name extends string> {
  /** Returns the environment variable of a setting. */
  readonly variable: (name: Name) => string
  readonly fail: (name: Name, problem: string) => Result.Result<never, ConfigFault>
  /** Fails because a setting without which the store cannot be used is absent. `alternatives` follow "must be set". */
  readonly missing: (name: Name, alternatives?: string) => Result.Result<never, ConfigFault>
}

export interface StoreType<Name extends string, Table extends SettingsOf<Table>, Options> {
  /** The value of `HOLDFAST_BLOBS` that chooses the store. */
  readonly name: Name
  /** The product, for the description of `HOLDFAST_BLOBS`. */
  readonly product: string
  readonly settings: Table
  /** The setting of the bucket. Set for a store that is not chosen, it is a fault: it would be ignored. */
  readonly bucket: keyof Table & string
  /** Returns the options that the settings give, or the fault that keeps the settings from working together. */
  readonly resolve: (values: ValuesOf<Table>) => Result.Result<Chosen<Name, Options>, ConfigFault>
  /** The package of the adapter, which is installed separately. */
  readonly package: string
  /** Loads the adapter. It is imported when the store is used, so that a service loads one SDK at most. */
  readonly load: (options: Options) => Promise<Layer.Layer<BlobStore, BlobError>>
}

/** Makes a descriptor. `resolve` gets the values of the settings and the means to report a fault. */
export const make = <Name extends string, const Table extends SettingsOf<Table>, Options>({
  resolve,
  ...type
}: Omit<StoreType<Name, Table, Options>, "resolve"> & {
  readonly resolve: (
    values: ValuesOf<Table>,
    faults: Faults<keyof Table & string>
  ) => Result.Result<Options, ConfigFault>
}): StoreType<Name, Table, Options> => {
  const variable = (name: keyof Table & string): string => type.settings[name].variables[0]
  const fail = (name: keyof Table & string, problem: string) => Result.fail({ source: variable(name), problem })
  const missing = (name: keyof Table & string, alternatives = "") =>
    fail(name, `must be set, ${alternatives === "" ? "" : `${alternatives}, `}since HOLDFAST_BLOBS is ${type.name}`)
  return {
    ...type,
    resolve: (values) =>
      Result.map(resolve(values, { variable, fail, missing }), (options) => ({ store: type.name, options }))
  }
}
