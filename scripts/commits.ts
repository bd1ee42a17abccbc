/**
 * `pnpm commits`: checks the messages of the commits that are to be handed in. The exit status is 0 when all of them
 * are valid, or there are none, otherwise 1.
 */
import * as Commits from "./checks/Commits.ts"

const commits = Commits.list()
const faults = await Promise.all(
  commits.map(async ({ hash, message }) =>
    (await Commits.check(message)).map((fault) => `${hash} ${message.split("\n", 1)[0]}\n    ${fault}\n`)
  )
)
process.stdout.write(faults.flat().join(""))
process.exitCode = faults.flat().length === 0 ? 0 : 1
