import { store } from "../../lib/Store.js"

export const POST = async (request) => Response.json(await (await store()).uploadAddress(await request.json()))
