/**
 * A gallery on Express. A visitor signs in with a name and gets a session cookie. The application renders the page; the
 * page's script uploads to the mounted API, where the cookie replaces an API key.
 */
import { type Holdfast, MemberExists } from "@holdfast/core"
import { toNodeListener } from "@holdfast/http"
import express from "express"
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import * as Page from "./Page.ts"

/** Returns the bucket of the gallery; creates it at the first start. */
const prepare = async (holdfast: Holdfast) => {
  const owner = holdfast.account("owner@gallery.example")
  const [existingTenant] = (await holdfast.tenants.list(owner)).items
  const tenant = existingTenant ?? (await holdfast.tenants.create(owner, { name: "Gallery", subdomain: "gallery" }))
  const tenantId = tenant.id
  const [existingBucket] = (await holdfast.buckets.list(owner, { tenantId })).items
  const bucket = existingBucket ?? (await holdfast.buckets.create(owner, { tenantId, name: "pictures" }))
  return { tenantId, bucketId: bucket.id }
}

export const make = async (holdfast: Holdfast): Promise<express.Express> => {
  const bucketRef = await prepare(holdfast)
  /** The e-mail addresses of the visitors, by session. */
  const sessions = new Map<string, string>()

  const findEmail = ({ headers }: IncomingMessage): string | undefined =>
    sessions.get(/(?:^|; )session=([^;]+)/.exec(headers.cookie ?? "")?.[1] ?? "")

  const addMember = async (email: string): Promise<void> => {
    const { tenantId } = bucketRef
    try {
      // The program has authenticated the visitor, who therefore needs no invitation.
      await holdfast.members.add(holdfast.system(), { tenantId, user: { email }, role: { name: "File Writer" } })
    } catch (error) {
      if (!(error instanceof MemberExists)) throw error
    }
  }

  const signIn = async (request: express.Request, response: express.Response): Promise<void> => {
    const name: unknown = request.body?.name
    if (typeof name !== "string" || !/^[a-z]{1,30}$/.test(name)) return void response.status(400).send("letters only")
    const session = randomUUID()
    const email = `${name}@gallery.example`
    await addMember(email)
    sessions.set(session, email)
    response.cookie("session", session, { httpOnly: true, sameSite: "strict" }).redirect("/")
  }

  const show = async (request: express.Request, response: express.Response): Promise<void> => {
    const email = findEmail(request)
    if (email === undefined) return void response.send(Page.signIn)
    const { items } = await holdfast.files.list(holdfast.account(email), {
      ...bucketRef,
      type: "IMAGE",
      recursive: true
    })
    const { bucketId, tenantId } = bucketRef
    response.send(Page.gallery(`/storage/api/v1/tenants/${tenantId}/buckets/${bucketId}/files`, items))
  }

  const app = express()
  // Express 5 handles the rejection of a returned promise.
  app.post("/session", express.urlencoded(), (request, response) => signIn(request, response))
  app.get("/", (request, response) => show(request, response))
  app.use(
    "/storage",
    toNodeListener(holdfast, {
      permissions: ["file:read", "file:write"],
      authenticate: (request) => {
        const email = findEmail(request)
        return email === undefined ? undefined : holdfast.account(email)
      }
    })
  )
  return app
}
