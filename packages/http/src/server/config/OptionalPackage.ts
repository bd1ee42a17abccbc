/**
 * Packages that are not installed with this one: adapters of clouds and ffmpeg, whose dependencies are large. A deployment
 * installs those that its settings name.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A package is needed and not installed. */
export class PackageMissing extends Data.TaggedError("PackageMissing")<{ readonly name: string }> {
  /** What is wrong and how to mend it, as a part of a sentence. */
  get installation(): string {
    return `the package ${this.name} is not installed, run: npm install ${this.name}`
  }
}

const codes: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"])

/** Whether a failed import did not find this package, and not another one that it depends on. */
const isMissing = (name: string, error: unknown): boolean =>
  error instanceof Error && "code" in error && codes.has(error.code) && error.message.includes(`'${name}`)

/**
 * Imports a module of such a package. Other failures of the import are defects.
 *
 * @param load Contains the whole specifier, so that bundlers find it.
 */
export const load = <A>(name: string, load: () => Promise<A>): Effect.Effect<A, PackageMissing> =>
  Effect.filterOrFail(
    Effect.promise(() =>
      load().catch((error: unknown) => {
        if (isMissing(name, error)) return new PackageMissing({ name })
        throw error
      })
    ),
    (result): result is A => !(result instanceof PackageMissing),
    () => new PackageMissing({ name })
  )
