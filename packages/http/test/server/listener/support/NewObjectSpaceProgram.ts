/**
 * Limits the space for new objects, creates objects of which many survive, and prints the largest size of the space, in bytes.
 */
import { setImmediate as turn } from "node:timers/promises"
import { getHeapSpaceStatistics } from "node:v8"
import * as NewObjectSpace from "../../../../src/server/startup/NewObjectSpace.ts"

const end = NewObjectSpace.enforce(process.execArgv)
let largest = 0
let kept: Array<object> = []
for (let i = 0; i < 800; i++) {
  if (kept.length > 40) kept = []
  kept.push(Array.from({ length: 5000 }, (_, number) => ({ number, inner: { i } })))
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")
  largest = Math.max(largest, space?.space_size ?? 0)
  // Collections are reported between turns.
  await turn()
}
end()
process.stdout.write(String(largest))
