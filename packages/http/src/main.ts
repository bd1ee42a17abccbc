#!/usr/bin/env node
/**
 * The command line `holdfast`. Compiled modules are kept from one start to the next, which makes it start in half the
 * time.
 */
import { enableCompileCache } from "node:module"

enableCompileCache()
const { run } = await import("./cli/Main.ts")
process.exit(await run(process.argv.slice(2)))
