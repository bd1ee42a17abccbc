/**
 * `pnpm build`: compiles every package into its `dist` for publication. Development needs no build.
 */
import * as Packages from "./packages/Packages.ts"

await Packages.build()
