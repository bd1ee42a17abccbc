#!/usr/bin/env node
/**
 * The command line `holdfast`. Compiled modules are kept from one start to the next, which takes a third off it.
 */
import { enableCompileCache } from "node:module"

enableCompileCache()
const { main } = await import("./cli/Main.ts")
main(process.argv.slice(2))
