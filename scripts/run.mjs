/**
 * `node scripts/run.mjs start|test …` runs scripts/start.ts or scripts/test.ts.
 *
 * It is plain JavaScript because it must run, and print one clear line, on a Node.js that is too old for the other
 * scripts. On Linux (glibc) and macOS (Intel) the lockfile brings Node.js 24, and pnpm puts it first in the PATH of
 * scripts; on other systems the installed Node.js runs them.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Holdfast needs Node.js 22.19 or newer; this is ${process.version}, and none is packaged for ${process.platform}-${process.arch}. Install one and run the command again.\n`
  )
  process.exit(1)
}

const [script, ...rest] = process.argv.slice(2)
// `pnpm start -- --port 0` passes the separator on as an argument.
process.argv.splice(2, Infinity, ...(rest[0] === "--" ? rest.slice(1) : rest))
await import(`./${script}.ts`)
