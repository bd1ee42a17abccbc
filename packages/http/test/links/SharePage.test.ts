/**
 * The page of a share in Chromium: what a person sees and does, by keyboard too, and what reaches the browser, the network and the log.
 */
import * as Browser from "@holdfast/testing/Browser"
import axe from "axe-core"
import * as Requires from "@holdfast/testing/Requires"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import * as Proxies from "../proxies/support/Proxies.ts"
import { json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

type Chromium = Awaited<ReturnType<typeof Browser.launch>>
type Page = Awaited<ReturnType<Chromium["newPage"]>>

interface Share {
  readonly id: string
  readonly token: string
  readonly url: string
}

Requires.requires(Browser.missing).describe("page of a share", () => {
  let server: TestServer.TestServer
  let chromium: Chromium
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let base: string

  beforeAll(async () => {
    server = await TestServer.start()
    chromium = await Browser.launch()
    bucket = await server.makeBucket()
    base = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}`
    await server.makeFile(bucket, "hello from a", { name: "a.txt", path: "/in/" })
    await server.makeFile(bucket, "hello from b", { name: "b.txt", path: "/in/deep/" })
    const hostile = "<script>document.title = 'taken'</script><img src=x onerror=alert(1)>.txt".replaceAll("/", "-")
    await server.makeFile(bucket, "x", { name: hostile, path: "/in/" })
  }, 60_000)
  afterAll(async () => {
    await chromium?.close()
    await server.close()
  })

  const create = async (input: object) => {
    const answer = await server.post(`${base}/shares`, { json: { name: "For the press", ...input } })
    expect(answer.status, await answer.clone().text()).toBe(201)
    return json<Share>(answer)
  }

  /** Opens a page, and collects what it requests and what its console says. */
  const open = async (path: string, origin = server.url) => {
    const context = await chromium.newContext()
    onTestFinished(() => context.close())
    const requested: Array<string> = []
    const messages: Array<string> = []
    context.on("request", (request) => void requested.push(request.url()))
    const page = await context.newPage()
    page.on("console", (message) => void messages.push(message.text()))
    page.on("pageerror", (error) => void messages.push(String(error)))
    await page.goto(`${origin}${path}`)
    return { context, page, requested, messages }
  }

  const shows = (page: Page, text: string) => page.getByText(text).first().waitFor()

  it(
    "folder → list, preview and download by keyboard; token in no request, log, cookie of scripts or history",
    { timeout: 60_000 },
    async () => {
      const share = await create({ path: "/in/" })
      const { context, messages, page, requested } = await open(share.url)
      await shows(page, "a.txt")
      expect(await page.title()).toBe("For the press")
      expect(page.url()).toBe(`${server.url}/s/${share.id}`)
      expect(await page.evaluate("document.cookie")).toBe("")
      expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: "Strict", path: `/s/${share.id}` }])

      await page.getByRole("button", { name: "Show a.txt" }).focus()
      await page.keyboard.press("Enter")
      await shows(page, "hello from a")
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })

      await page.getByRole("button", { name: "deep/" }).focus()
      await page.keyboard.press("Enter")
      await shows(page, "b.txt")
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download b.txt" }).press("Enter")
      ])
      expect(download.suggestedFilename()).toBe("b.txt")
      await page.getByRole("button", { name: "All files" }).press("Enter")
      await shows(page, "a.txt")
      await page.locator("h1:focus").waitFor()

      await page.reload()
      await shows(page, "a.txt")
      const secret = share.token.slice(4, 30)
      expect(requested.filter((url) => new URL(url).pathname.includes(secret) || url.includes("?token"))).toEqual([])
      expect(requested.slice(1).join("\n")).not.toContain(secret)
      expect(server.logs.join("\n")).not.toContain(secret)
      expect(messages).toEqual([])
    }
  )

  it(
    "folders → Back leads to the one before, Forward to the next; a reload shows the same",
    { timeout: 60_000 },
    async () => {
      const share = await create({ path: "/in/" })
      const { messages, page } = await open(share.url)
      await page.getByRole("button", { name: "deep/" }).click()
      await shows(page, "b.txt")
      await page.getByRole("button", { name: "Show b.txt" }).click()
      await page.goBack()
      await shows(page, "a.txt")
      expect(await page.getByRole("dialog").count()).toBe(0)
      await page.locator("h1:focus").waitFor()
      await page.goForward()
      await shows(page, "b.txt")
      await page.reload()
      await shows(page, "b.txt")
      await page.getByRole("button", { name: "All files" }).click()
      await shows(page, "a.txt")
      await page.goBack()
      await shows(page, "b.txt")
      expect(messages).toEqual([])
    }
  )

  it(
    "password → asked for; wrong one → said; right one → file; tenth wrong one → further ones refused",
    { timeout: 60_000 },
    async () => {
      const share = await create({ path: "/in/", password: "correct horse" })
      const { messages, page } = await open(share.url)
      const field = page.getByLabel("Password of the share")
      await field.waitFor()
      await field.fill("wrong horse")
      await page.keyboard.press("Enter")
      await shows(page, "This password is not right.")
      await page.route("**/session", (route) => route.abort())
      await field.fill("correct horse")
      await page.keyboard.press("Enter")
      await shows(page, "The service cannot answer right now.")
      await page.unroute("**/session")
      await field.fill("correct horse")
      await page.keyboard.press("Enter")
      await shows(page, "a.txt")
      const expected = /403|ERR_FAILED|^\[DOM\]/
      expect(messages.filter((message) => !expected.test(message))).toEqual([])

      const session = (password: string) =>
        fetch(`${server.url}/s/${share.id}/session`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ token: share.token, password })
        })
      const tried = await Promise.all(Array.from({ length: 12 }, () => session("wrong horse")))
      expect(tried.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429])
      expect((await session("correct horse")).status).toBe(429)

      await server.patch(`${base}/shares/${share.id}`, { json: { password: "another horse" } })
      await page.reload()
      await shows(page, "Link not valid")
    }
  )

  it(
    "list, preview, password and upload in light and dark → no violation that axe finds",
    { timeout: 60_000 },
    async () => {
      const folder = await create({ path: "/in/" })
      const locked = await create({ path: "/in/", password: "correct horse" })
      const drop = await create({ path: "/in/", may: ["upload"] })
      for (const colorScheme of ["light", "dark"] as const) {
        const context = await chromium.newContext({ colorScheme, bypassCSP: true })
        onTestFinished(() => context.close())
        const page = await context.newPage()
        const check = async (name: string) => {
          await page.evaluate(axe.source)
          const found: string = await page.evaluate(
            "axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])))"
          )
          expect(found, `${name}, ${colorScheme}`).toBe("[]")
        }
        await page.goto(`${server.url}${folder.url}`)
        await shows(page, "a.txt")
        await check("list")
        await page.getByRole("button", { name: "Show a.txt" }).click()
        await shows(page, "hello from a")
        await check("preview")
        await page.goto(`${server.url}${locked.url}`)
        await page.getByLabel("Password of the share").waitFor()
        await check("password")
        await page.goto(`${server.url}${drop.url}`)
        await page.getByLabel("Files to upload").waitFor()
        await check("upload")
      }
    }
  )

  it(
    "uploads → files are stored under free names, and cannot be listed; revoked → said",
    { timeout: 60_000 },
    async () => {
      const share = await create({ path: "/in/", may: ["upload"], maxFiles: 2 })
      const { page } = await open(share.url)
      await page.getByLabel("Files to upload").setInputFiles([
        { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("mine") },
        { name: "new.txt", mimeType: "text/plain", buffer: Buffer.from("new") },
        { name: "third.txt", mimeType: "text/plain", buffer: Buffer.from("third") }
      ])
      await shows(page, "2 of 3 files uploaded.")
      const listed = await page.evaluate("fetch(location.pathname + '/files').then(({ status }) => status)")
      expect(listed).toBe(401)
      expect(await json(await server.get(`${base}/shares/${share.id}`))).toMatchObject({ uploadedFiles: 2 })
      await server.delete(`${base}/shares/${share.id}`)
      await page.reload()
      await shows(page, "Link not valid")
    }
  )

  Requires.requires(Proxies.nginxMissing).describe("behind a proxy that adds a path", () => {
    it("page, session, preview, upload, counted download → work below the path", { timeout: 60_000 }, async () => {
      const locations = `location /store/ { proxy_pass ${server.url}/; }`
      const store = `${(await Proxies.startNginx(server.url, { locations })).url}/store`
      const share = await create({ path: "/in/", maxDownloads: 2 })
      const { messages, page } = await open(share.url, store)
      await page.getByRole("button", { name: "Show a.txt" }).click()
      await shows(page, "hello from a")
      await page.reload()
      await shows(page, "a.txt")
      expect(messages).toEqual([])

      const drop = await create({ path: "/in/", may: ["upload"] })
      const { page: form } = await open(drop.url, store)
      const file = { name: "below.txt", mimeType: "text/plain", buffer: Buffer.from("below") }
      await form.getByLabel("Files to upload").setInputFiles([file])
      await shows(form, "1 of 1 files uploaded.")

      const { path } = await server.makeFile(bucket, "counted", { name: "counted.txt", path: "/in/" })
      const counted = await fetch(`${store}/api/v1${path}/view?apiKey=${share.token}`)
      expect([counted.status, await counted.text()]).toEqual([200, "counted"])
    })
  })

  it("ZIP of a folder → all files below it, for one download; folder outside, no download permitted, no session → refused", async () => {
    const share = await create({ path: "/in/", maxDownloads: 1 })
    const cookieOf = async ({ id, token }: Share) => {
      const answer = await fetch(`${server.url}/s/${id}/session`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token })
      })
      return answer.headers.get("set-cookie")?.split(";")[0] ?? ""
    }
    const cookie = await cookieOf(share)
    const zip = (query = "", method = "GET") =>
      fetch(`${server.url}/s/${share.id}/zip${query}`, { method, headers: { cookie } })
    expect((await zip("?path=/")).status).toBe(403)
    expect((await zip("", "HEAD")).status).toBe(200)
    const answer = await zip()
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"])
    expect(answer.headers.get("content-disposition")).toContain('filename="in.zip"')
    const text = Buffer.from(await answer.arrayBuffer()).toString("latin1")
    for (const part of ["a.txt", "hello from a", "deep/b.txt", "hello from b"]) expect(text).toContain(part)
    expect((await zip()).status).toBe(410)
    const single = await create({ path: "/in/", may: ["list", "view"] })
    const headers = { cookie: await cookieOf(single) }
    expect((await fetch(`${server.url}/s/${single.id}/zip`, { headers })).status).toBe(401)
    expect((await fetch(`${server.url}/s/${share.id}/zip`)).status).toBe(401)
  })

  it("headers of the page → scripts by nonce alone; other origin, cookie of another share → refused", async () => {
    const [share, other] = [await create({ path: "/in/" }), await create({})]
    const page = await fetch(`${server.url}/s/${share.id}`)
    const policy = page.headers.get("content-security-policy") ?? ""
    expect(policy).toMatch(/script-src 'nonce-[\w-]{22}';/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(await page.text()).not.toContain(share.id)
    const open = (headers = {}) =>
      fetch(`${server.url}/s/${share.id}/session`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ token: share.token })
      })
    expect((await open({ "sec-fetch-site": "cross-site" })).status).toBe(403)
    const cookie = (await open()).headers.get("set-cookie")?.split(";")[0] ?? ""
    const info = (id: string) => fetch(`${server.url}/s/${id}/info`, { headers: { cookie } })
    expect((await info(share.id)).status).toBe(200)
    expect((await info(other.id)).status).toBe(401)
    expect((await fetch(`${server.url}/s/${share.id}/info`)).status).toBe(401)
    expect((await fetch(`${server.url}/s/${share.id}/info`, { method: "PUT" })).status).toBe(405)
  })
})
