import { store } from "../../../lib/Store.js"

export const GET = async (_, { params }) => Response.json(await (await store()).viewAddress((await params).id))
