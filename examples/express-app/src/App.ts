/**
 * A gallery on Express. Visitors sign in with a name, by a cookie; Holdfast knows them by e-mail. The page is rendered
 * here, and its script uploads to the mounted API, with the cookie in place of an API key.
 */
import type { Holdfast } from "@holdfast/core"
import { toNodeListener } from "@holdfast/http"
import express from "express"
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import * as Page from "./Page.ts"

/** Makes the bucket of the gallery, where there is none. */
const prepare = async (holdfast: Holdfast) => {
  const owner = holdfast.account("owner@gallery.example")
  const [known] = (await holdfast.tenants.list(owner)).items
  const tenant = known ?? (await holdfast.tenants.create(owner, { name: "Gallery", subdomain: "gallery" }))
  const tenantId = tenant.id
  const [present] = (await holdfast.buckets.list(owner, { tenantId })).items
  const bucket = present ?? (await holdfast.buckets.create(owner, { tenantId, name: "pictures" }))
  return { owner, ref: { tenantId, bucketId: bucket.id } }
}

export const make = async (holdfast: Holdfast): Promise<express.Express> => {
  const { owner, ref } = await prepare(holdfast)
  const sessions = new Map<string, string>()

  const emailOf = ({ headers }: IncomingMessage): string | undefined =>
    sessions.get(/(?:^|; )session=([^;]+)/.exec(headers.cookie ?? "")?.[1] ?? "")

  const join = async (email: string): Promise<void> => {
    const { items } = await holdfast.members.list(owner, { tenantId: ref.tenantId, limit: 1000 })
    if (items.some(({ user }) => user.email === email)) return
    await holdfast.members.add(owner, { tenantId: ref.tenantId, user: { email }, role: { name: "File Writer" } })
  }

  const signIn = async (request: express.Request, response: express.Response): Promise<void> => {
    const name: unknown = request.body?.name
    if (typeof name !== "string" || !/^[a-z]{1,30}$/.test(name)) return void response.status(400).send("letters only")
    const session = randomUUID()
    const email = `${name}@gallery.example`
    await join(email)
    sessions.set(session, email)
    response.cookie("session", session, { httpOnly: true, sameSite: "strict" }).redirect("/")
  }

  const show = async (request: express.Request, response: express.Response): Promise<void> => {
    const email = emailOf(request)
    if (email === undefined) return void response.send(Page.signIn)
    const { items } = await holdfast.files.list(holdfast.account(email), { ...ref, type: "IMAGE", recursive: true })
    response.send(Page.gallery(`/storage/api/v1/tenants/${ref.tenantId}/buckets/${ref.bucketId}/files`, items))
  }

  const app = express()
  // Express 5 handles what a promise rejects with.
  app.post("/session", express.urlencoded(), (request, response) => signIn(request, response))
  app.get("/", (request, response) => show(request, response))
  app.use(
    "/storage",
    toNodeListener(holdfast, {
      authenticate: (request) => {
        const email = emailOf(request)
        return email === undefined ? undefined : holdfast.account(email)
      }
    })
  )
  return app
}
