#!/usr/bin/env node
/**
 * The command line `holdfast`. Node caches compiled modules, which halves the start time. The cache is in a directory
 * of the user, because write access to it allows running any code here.
 */
import { oldestNode } from "@holdfast/core/deployment/BuiltinModule"
import * as Module from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import * as HeapGrowth from "./server/startup/HeapGrowth.ts"

const toNumber = (version: string): number => {
  const [major = 0, minor = 0] = version.replace("v", "").split(".").map(Number)
  return major * 1000 + minor
}

// Before the modules of the service, which such a version cannot load.
if (toNumber(process.version) < toNumber(oldestNode)) {
  process.stderr.write(`holdfast: needs Node.js ${oldestNode} or newer; this is ${process.version}.\n`)
  process.exit(1)
}
if (process.argv[2] === "serve") HeapGrowth.begin()
Module.enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "holdfast"))
const { run } = await import("./Program.ts")
process.exit(await run(process.argv.slice(2)))
