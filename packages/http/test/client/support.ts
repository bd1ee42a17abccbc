/**
 * A client of a Holdfast that is mounted under a prefix in a listening server.
 */
import { toNodeListener } from "../../src/index.ts"
import { createClient } from "../../src/client/index.ts"
import * as Mounted from "../mount/MountedHoldfast.ts"

/** Starts the server; it is closed when the test ends. */
export const setUp = async () => {
  const opened = await Mounted.openHoldfast()
  const origin = await Mounted.serve(toNodeListener(opened.holdfast, { prefix: "/store" }))
  const url = `${origin}/store`
  return { ...opened, url, client: createClient({ url, apiKey: opened.key }) }
}
