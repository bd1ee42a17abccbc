import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as FakeTranscoder from "@holdfast/testing/transcoding/FakeTranscoder"
import fastify from "fastify"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { toFastify, toNodeListener, toWebHandler } from "../../src/index.ts"
import { makeDirectory } from "../support/Process.ts"
import { addresses, keyIn } from "../streams/support/StreamServer.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

/**
 * Opens a Holdfast with a converted video of one account. Its host identifies users by a header, instead of a session.
 */
const setUp = async () => {
  const directory = await makeDirectory()
  const holdfast = await open({
    metadata: sqlite({ file: Path.join(directory, "metadata.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") }),
    video: { transcoder: FakeTranscoder.layer },
    sweepEvery: false
  })
  onTestFinished(() => holdfast.close())
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "media" })
  const bucket = { tenantId: tenant.id, bucketId }
  const content = new Uint8Array(FakeMedia.make(FakeMedia.playable))
  const { id } = await holdfast.files.upload(ada, { ...bucket, name: "a.mp4", content })
  await holdfast.streams.request(ada, { ...bucket, fileId: id, format: "hls", wait: 20 })
  const streams = `/tenants/${tenant.id}/buckets/${bucketId}/files/${id}/streams`
  return { holdfast, ada, tenant, streams }
}

it("frameAncestors → in the policy of the players of this mount; not valid → TypeError", async () => {
  const { ada, holdfast, streams } = await setUp()
  const authenticate = () => ada
  const frameAncestors = ["'self'", "https://*.example.com:8443"]
  const expected = "; frame-ancestors 'self' https://*.example.com:8443;"
  const policyOf = ({ headers, status }: Response) => [status, headers.get("content-security-policy")]
  const path = `/api/v1${streams}/hls`

  const app = fastify()
  await app.register(toFastify(holdfast, { authenticate, frameAncestors }), { prefix: "/store" })
  await app.listen({ port: 0, host: "127.0.0.1" })
  const fastifyUrl = await MountedHoldfast.urlOf(app.server)
  const url = await MountedHoldfast.serve(toNodeListener(holdfast, { authenticate, frameAncestors }))
  const web = toWebHandler(holdfast, { authenticate, frameAncestors })
  for (const answer of [
    await fetch(url + path),
    await fetch(`${fastifyUrl}/store${path}`),
    await web(new Request(`http://host${path}`))
  ]) {
    expect(policyOf(answer)).toEqual([200, expect.stringContaining(expected)])
  }
  // The page that an error has in a frame.
  const failed = await fetch(url + path.replace("fil_", "fil_0"), { headers: { accept: "text/html" } })
  expect(policyOf(failed)).toEqual([expect.any(Number), expect.stringContaining(expected)])
  // Another mount of the same Holdfast, without the option.
  const all = await toWebHandler(holdfast, { authenticate })(new Request(`http://host${path}`))
  expect(policyOf(all)).toEqual([200, expect.stringContaining("; frame-ancestors *;")])

  for (const faulty of [[], ["https//a.example"], ["*; script-src *"], ["'none'", "'self'"], "'self'"] as const) {
    const options = { frameAncestors: faulty as ReadonlyArray<string> }
    expect(() => toNodeListener(holdfast, options)).toThrow(/^frameAncestors must be a list of sources/)
    expect(() => toWebHandler(holdfast, options)).toThrow(TypeError)
  }
  const register = async () => fastify().register(toFastify(holdfast, { frameAncestors: [] }))
  await expect(register()).rejects.toThrow(TypeError)
})

it("player page loaded with a session → its URLs work without the session until the user loses access", async () => {
  const { ada, holdfast, streams, tenant } = await setUp()
  const authenticate = (request: { readonly headers: { readonly [name: string]: unknown } }) =>
    request.headers["x-user"] === "ada" ? ada : undefined
  const origin = await MountedHoldfast.serve(toNodeListener(holdfast, { prefix: "/store", authenticate }))
  const page = `${origin}/store/api/v1${streams}/hls`
  expect((await fetch(page)).status).toBe(401)
  const html = await (await fetch(page, { headers: { "x-user": "ada", accept: "text/html" } })).text()
  const source = /"source":"([^"]*)"/.exec(html)?.[1] ?? ""
  const playlist = new URL(source, page)
  const [segment = ""] = addresses(await (await fetch(playlist)).text())
  const played = await fetch(new URL(segment, playlist))
  expect([played.status, played.headers.get("content-type")]).toEqual([200, "video/mp2t"])
  const asset = /<script type="module" src="([^"]*)"/.exec(html)?.[1] ?? ""
  expect((await fetch(new URL(asset, page))).status).toBe(200)

  const web = toWebHandler(holdfast)
  const answer = await web(new Request(`http://host/api/v1${streams}/hls/index0.ts?apiKey=${keyIn(segment)}`))
  expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 188])

  const [member] = (await holdfast.members.list(holdfast.system(), { tenantId: tenant.id })).items
  await holdfast.members.add(holdfast.system(), {
    tenantId: tenant.id,
    user: { email: "bob@example.com" },
    role: { name: "Admin" }
  })
  await holdfast.members.remove(holdfast.system(), { tenantId: tenant.id, memberId: member?.id ?? "" })
  expect((await fetch(new URL(segment, playlist))).status).toBe(403)
})
