#!/usr/bin/env node
/**
 * The command line `holdfast`. Compiled modules are kept from one start to the next, which makes it start in half the
 * time: in a directory of the user's own, since whoever can write there decides what runs here.
 */
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "holdfast"))
const { run } = await import("./cli/Main.ts")
process.exit(await run(process.argv.slice(2)))
