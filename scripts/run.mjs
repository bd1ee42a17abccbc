/**
 * `node scripts/run.mjs start|test …` runs scripts/start.ts or scripts/test.ts.
 *
 * Plain JavaScript, because it must still run on a Node.js that is too old for the rest, to say so in one line. On
 * Linux (glibc) and macOS (Intel) the lockfile brings Node.js 24, which pnpm puts first in the path of scripts;
 * elsewhere the system's own is used.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Holdfast needs Node.js 22.19 or newer; this is ${process.version}, and none is packaged for ${process.platform}-${process.arch}. Install one and run the command again.\n`
  )
  process.exit(1)
}

const [script, ...rest] = process.argv.slice(2)
// `pnpm start -- --port 0` hands the separator on as well.
process.argv.splice(2, Infinity, ...(rest[0] === "--" ? rest.slice(1) : rest))
await import(`./${script}.ts`)
