/**
 * A Hono application with Holdfast below `/storage`. `app.fetch` uses web standards only: it runs in Node, Bun and Deno.
 */
import type { ActorHandle, Holdfast } from "@holdfast/core"
import { toWebHandler } from "@holdfast/http"
import { type Context, Hono } from "hono"

interface Env {
  readonly Variables: { readonly user: ActorHandle | undefined }
}

/** Returns the application. `users` has the e-mail address of each value of the header `X-User-Token`. */
export const make = (holdfast: Holdfast, users: ReadonlyMap<string, string>): Hono<Env> => {
  const storage = toWebHandler<Context<Env>>(holdfast, {
    prefix: "/storage",
    authenticate: (_request, context) => context.get("user")
  })
  const app = new Hono<Env>()
  app.use(async (context, next) => {
    const email = users.get(context.req.header("x-user-token") ?? "")
    context.set("user", email === undefined ? undefined : holdfast.account(email))
    await next()
  })
  app.all("/storage/*", (context) => storage(context.req.raw, context))
  return app
}
