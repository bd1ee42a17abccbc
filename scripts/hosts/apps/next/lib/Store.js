import { toWebHandler } from "@holdfast/http"
import { start } from "../../Store.js"

const make = async () => {
  const { authenticate, holdfast } = await start()
  return toWebHandler(holdfast, { prefix: "/store", authenticate })
}

let handler

/** Opens the Holdfast at the first request: a build imports routes, too. */
export const handle = async (request) => (await (handler ??= make()))(request)
