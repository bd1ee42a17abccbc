/**
 * Limits the heap, creates objects of which many survive, and prints sizes of the space for new objects in bytes: after the modules of a
 * service were loaded, and the largest one while it runs.
 */
import { setImmediate as turn } from "node:timers/promises"
import { getHeapSpaceStatistics } from "node:v8"
import * as HeapGrowth from "../../../../src/server/startup/HeapGrowth.ts"

const size = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0

/** Creates objects, and returns the largest size of the space meanwhile. `count` arrays of them survive some collections. */
const create = async (count: number): Promise<number> => {
  let largest = 0
  let kept: Array<object> = []
  for (let i = 0; i < 800; i++) {
    if (kept.length > count) kept = []
    kept.push(Array.from({ length: 5000 }, (_, number) => ({ number, inner: { i } })))
    largest = Math.max(largest, size())
    // Collections are reported between turns.
    await turn()
  }
  return largest
}

HeapGrowth.begin()
await create(40)
// While many objects survive a collection, V8 adds pages to the space until the next one.
await create(0)
const loaded = size()
const end = HeapGrowth.enforce()
const running = await create(40)
end()
process.stdout.write(JSON.stringify({ loaded, running }))
