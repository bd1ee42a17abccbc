import { open } from "@holdfast/core"
import { inMemory } from "@holdfast/testing/InMemory"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import * as App from "../src/App.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==",
  "base64"
)

it("gallery: visitor signs in and uploads → page shows the picture, no cookie → 401", async () => {
  const holdfast = await open(inMemory())
  onTestFinished(() => holdfast.close())
  const server = (await App.make(holdfast)).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once("listening", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  expect(await (await fetch(url)).text()).toContain("Sign in")
  const body = new URLSearchParams({ name: "ada" })
  const signedIn = await fetch(`${url}/session`, { method: "POST", body, redirect: "manual" })
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
  const empty = await (await fetch(url, { headers: { cookie } })).text()
  expect(empty).toContain("<progress")

  // The same request as that of the page's script.
  const target = /open\("POST", "([^"]+)"\)/.exec(empty)?.[1] ?? ""
  const form = new FormData()
  form.append("file", new Blob([png], { type: "image/png" }), "a & b.png")
  const uploaded = await fetch(url + target, { method: "POST", body: form, headers: { cookie } })
  expect([uploaded.status, uploaded.headers.get("location")]).toEqual([201, expect.stringMatching(/^\/storage\/api/)])

  const full = await (await fetch(url, { headers: { cookie } })).text()
  expect(full).toContain("a &#38; b.png</a>")
  const picture = /<img src="([^"]+)"/.exec(full)?.[1] ?? ""
  const shown = await fetch(url + picture, { headers: { cookie } })
  expect([shown.headers.get("content-type"), Buffer.from(await shown.arrayBuffer())]).toEqual(["image/png", png])
  const saved = await fetch(url + picture.replace(/view$/, "download"), { headers: { cookie } })
  expect(saved.headers.get("content-disposition")).toContain("attachment")
  expect((await fetch(url + picture)).status).toBe(401)
})

it("sign-in: tenant with more than 1,000 members, the same new visitor twice → 302 both times", async () => {
  const holdfast = await open(inMemory())
  onTestFinished(() => holdfast.close())
  const server = (await App.make(holdfast)).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as AddressInfo

  const system = holdfast.system()
  const [tenant] = (await holdfast.tenants.list(holdfast.account("owner@gallery.example"))).items
  const tenantId = tenant?.id ?? ""
  const emails = Array.from({ length: 1000 }, (_, index) => `visitor-${index}@gallery.example`)
  await Promise.all(
    emails.map((email) => holdfast.members.add(system, { tenantId, user: { email }, role: { name: "File Reader" } }))
  )

  const signIn = async () => {
    const body = new URLSearchParams({ name: "newest" })
    const url = `http://127.0.0.1:${port}/session`
    return (await fetch(url, { method: "POST", body, redirect: "manual" })).status
  }
  expect([await signIn(), await signIn()]).toEqual([302, 302])
})
