import { store } from "../../../lib/Store.js"

const handle = async (request) => (await store()).handler(request)

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT
}
