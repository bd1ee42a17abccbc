/**
 * The declaration of one setting: its environment variables, its type, its default and its description.
 */
import type * as SettingType from "./SettingType.ts"

export interface Setting<A> {
  /** Environment variables. The first one that is set and not empty supplies the value. */
  readonly variables: readonly [string, ...ReadonlyArray<string>]
  readonly type: SettingType.SettingType<A>
  /** One or more sentences, without the default. */
  readonly description: string
  /** The default, as an operator would write it. The value of a setting without a default may be undefined. */
  readonly defaultText?: string
  /** The default when standard output is a terminal. */
  readonly terminalDefaultText?: string
}

/** A setting that always has a value. */
export interface SettingWithDefault<A> extends Setting<A> {
  readonly defaultText: string
}

/** Declares a setting that always has a value. */
export const withDefault = <A>(
  variables: Setting<A>["variables"],
  type: SettingType.SettingType<A>,
  defaultText: string,
  description: string
): SettingWithDefault<A> => ({ variables, type, defaultText, description })

/** Declares a setting whose value may be undefined. */
export const optional = <A>(
  variables: Setting<A>["variables"],
  type: SettingType.SettingType<A>,
  description: string
): Setting<A> => ({ variables, type, description })

type ValueOf<S> = S extends SettingWithDefault<infer A> ? A : S extends Setting<infer A> ? A | undefined : never

/** The values of a table of settings, by setting name. */
export type ValuesOf<Table> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> }
