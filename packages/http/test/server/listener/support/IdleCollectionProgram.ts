/**
 * Makes an object that nothing uses, does nothing, and prints `collected` when the object is collected.
 */
import * as IdleCollection from "../../../../src/server/startup/IdleCollection.ts"

const end = IdleCollection.begin()
const unused = new WeakRef({})
const look = setInterval(() => {
  if (unused.deref() !== undefined) return
  end()
  clearInterval(look)
  process.stdout.write("collected\n")
}, 500)
