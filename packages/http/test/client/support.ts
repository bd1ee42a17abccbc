/**
 * A client of a Holdfast that really listens, under a prefix.
 */
import { toNodeListener } from "../../src/index.ts"
import { createClient } from "../../src/client/index.ts"
import * as Mounted from "../mount/support.ts"

export const setUp = async () => {
  const opened = await Mounted.setUp()
  const origin = await Mounted.serve(toNodeListener(opened.holdfast, { prefix: "/store" }))
  const url = `${origin}/store`
  return { ...opened, url, client: createClient({ url, apiKey: opened.key }) }
}
