/**
 * `pnpm build`: compiles every package into its `dist`, which is what is published. Development needs no build.
 */
import * as Packages from "./Packages.ts"

await Packages.build()
