/**
 * A Fastify application with Holdfast below `/storage`, besides its own hooks and routes.
 */
import type { Holdfast } from "@holdfast/core"
import { toFastify } from "@holdfast/http"
import fastify, { type FastifyInstance } from "fastify"

export const make = async (holdfast: Holdfast): Promise<FastifyInstance> => {
  const app = fastify()
  app.get("/health", () => ({ ok: true }))
  app.addHook("onRequest", async (request, reply) => {
    if (request.headers["x-maintenance"] !== undefined) await reply.code(503).send({ closed: true })
  })
  await app.register(toFastify(holdfast), { prefix: "/storage" })
  // Fastify runs this hook when all requests have ended.
  app.addHook("onClose", () => holdfast.close())
  return app
}
