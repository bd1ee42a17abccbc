import { toWebHandler } from "@holdfast/http"
import { start } from "../../Store.js"

const make = async () => {
  const { authenticate, holdfast, uploadAddress, viewAddress } = await start()
  return { handler: toWebHandler(holdfast, { prefix: "/store", authenticate }), uploadAddress, viewAddress }
}

/** Opens the Holdfast at the first request: a build imports routes, too. All routes share it, whatever bundles they are in. */
export const store = () => (globalThis.store ??= make())
