/**
 * One setting, as the tables of settings declare it.
 */
import type * as ConfigKind from "./ConfigKind.ts"

export interface Setting<A> {
  /** Environment variables; the first one that is set counts. */
  readonly variables: readonly [string, ...ReadonlyArray<string>]
  readonly kind: ConfigKind.Kind<A>
  /** A sentence, without the default. */
  readonly description: string
  /** As one would write it. A setting without a default may be undefined. */
  readonly fallback?: string
  /** The default where standard output is a terminal. */
  readonly fallbackAtTerminal?: string
}

/** One that always has a value. */
export interface WithFallback<A> extends Setting<A> {
  readonly fallback: string
}

/** A setting that always has a value. */
export const given = <A>(
  variables: Setting<A>["variables"],
  kind: ConfigKind.Kind<A>,
  fallback: string,
  description: string
): WithFallback<A> => ({ variables, kind, fallback, description })

/** A setting that may be absent. */
export const optional = <A>(
  variables: Setting<A>["variables"],
  kind: ConfigKind.Kind<A>,
  description: string
): Setting<A> => ({ variables, kind, description })

type ValueOf<S> = S extends WithFallback<infer A> ? A : S extends Setting<infer A> ? A | undefined : never

/** The value of every setting of a table. */
export type ValuesOf<Table> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> }
