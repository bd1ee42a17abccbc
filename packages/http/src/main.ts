#!/usr/bin/env node
/**
 * The command line `holdfast`. Node caches compiled modules, which halves the start time. The cache is in a directory
 * of the user, because write access to it allows running any code here.
 */
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "holdfast"))
const { run } = await import("./cli/Main.ts")
process.exit(await run(process.argv.slice(2)))
