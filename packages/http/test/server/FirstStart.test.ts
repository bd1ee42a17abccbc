import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { requires, command, firstMissing } from "@holdfast/testing/Requires"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"

const tools = firstMissing(command("bash", "-c", "true"), command("curl", "--version"))

/** Returns the lines of the tour without their indentation. */
const tourOf = (output: string): string => {
  const [, tour = ""] = /paste these lines into another terminal:\n\n((?: {2}.*\n)+)/.exec(output) ?? []
  return tour.replaceAll(/^ {2}/gm, "")
}

requires(tools).describe("first start: tour", () => {
  it("pasted into a shell → prints the content of the uploaded file", async () => {
    const service = await Process.serve()
    await service.untilPrinted(/reference: \S+\n/)
    const tour = tourOf(service.stdout())
    const { stderr, stdout } = await promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", tour])
    expect(stdout).toBe("Hello from Holdfast\n")
    expect(stderr).toBe("")
  })
})

describe("first start: key", () => {
  it("no key configured → printed at the first start only, and valid after later starts", async () => {
    const first = await Process.serve()
    await first.untilPrinted(/reference: \S+\n/)
    const key = first.key()
    const api = Requests.make(`${first.url}/api/v1`, key)
    expect((await api.get("/me")).status).toBe(200)
    await first.stop()

    const second = await Process.serve({ data: first.data })
    const me = await Requests.make(`${second.url}/api/v1`, key).get("/me")
    expect(await me.json()).toMatchObject({ user: { email: "root@localhost" }, credential: { kind: "ACCOUNT_KEY" } })
    await second.stop()
    expect(second.stdout()).not.toMatch(/hf_|first start/)
    expect(second.stderr()).not.toContain("hf_")
  })

  it("HOLDFAST_ROOT_EMAIL → the key belongs to this account", async () => {
    const service = await Process.serve({ env: { HOLDFAST_ROOT_EMAIL: "ops@example.com" } })
    await service.untilPrinted(/account key of ops@example\.com/)
    const me = await Requests.make(`${service.url}/api/v1`, service.key()).get("/me")
    expect(await me.json()).toMatchObject({ user: { email: "ops@example.com" } })
  })

  it("HOLDFAST_PUBLIC_URL → the tour uses this URL; Location has its path", async () => {
    const service = await Process.serve({ env: { HOLDFAST_PUBLIC_URL: "https://files.example.com/store/" } })
    await service.untilPrinted(/API=https:\/\/files\.example\.com\/store\/api\/v1\n/)
    const requests = Requests.make(`${service.url}/api/v1`, service.key())
    const tenant = await requests.post("/tenants", { json: { name: "Acme", subdomain: "acme" } })
    const { id } = (await tenant.json()) as { readonly id: string }
    expect(tenant.headers.get("location")).toBe(`/store/api/v1/tenants/${id}`)
    const bucket = await requests.post(`/tenants/${id}/buckets`, { json: { name: "files" } })
    const files = `/tenants/${id}/buckets/${((await bucket.json()) as { readonly id: string }).id}/files`
    const upload = await requests.request("PUT", `${files}/upload`, { query: { name: "a" }, body: "x" })
    expect(upload.headers.get("location")).toMatch(new RegExp(`^/store/api/v1${files}/fil_`))
  })
})

describe("HOLDFAST_ROOT_KEY", () => {
  it("set → valid at every start, stored once, never printed", async () => {
    const { stdout } = await Process.run(["keys", "generate"])
    const key = stdout.trim()
    const data = await Process.makeDirectory()
    for (let start = 0; start < 2; start++) {
      const service = await Process.serve({ data, env: { HOLDFAST_ROOT_KEY: key } })
      expect((await Requests.make(`${service.url}/api/v1`, key).get("/me")).status).toBe(200)
      await service.stop()
      expect(service.stdout()).not.toMatch(/hf_|first start/)
      expect(service.stderr()).not.toContain("hf_")
    }
    const listed = await Process.run(["keys", "list", "--json", "--data-dir", data])
    expect(listed.stdout.trim().split("\n")).toHaveLength(1)
  })
})
