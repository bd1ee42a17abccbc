import { describe, expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"

const getMe = (url: string, key: string) => Requests.make(`${url}/api/v1`, key).get("/me")

/** Polls until the answer has this status; the service may cache permissions for a while. */
const pollUntilStatus = async (url: string, key: string, status: number): Promise<void> => {
  for (;;) {
    if ((await getMe(url, key)).status === status) return
  }
}

const idOf = (text: string): string => /key_[0-9a-f-]{36}/.exec(text)?.[0] ?? ""

describe("keys: service running", () => {
  it("create, list, revoke → the service accepts the key, then refuses it", async () => {
    const service = await Process.serve()
    const dataDir = ["--data-dir", service.data]

    const created = await Process.run(["keys", "create", "--email", "ci@example.com", "--name", "CI", ...dataDir])
    expect(created.code).toBe(0)
    const key = created.stdout.trim()
    expect(key).toMatch(/^hf_[\w-]{49}$/)
    expect(await (await getMe(service.url, key)).json()).toMatchObject({ user: { email: "ci@example.com" } })

    const listed = await Process.run(["keys", "list", ...dataDir])
    expect(listed.stdout).toMatch(/ID +ACCOUNT +NAME +KEY +CREATED +LAST USED +REVOKED\n/)
    expect(listed.stdout).toContain("ci@example.com")
    expect(listed.stdout).not.toContain(key)

    const id = idOf(created.stderr)
    const revoked = await Process.run(["keys", "revoke", id, ...dataDir])
    expect(revoked.stdout).toBe(`${id} (CI) of ci@example.com is revoked.\n`)
    await pollUntilStatus(service.url, key, 401)

    const after = await Process.run(["keys", "list", "--json", ...dataDir])
    const keys = after.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(keys).toHaveLength(2)
    expect(keys.find((one) => one.id === id)).toMatchObject({ name: "CI", revokedAt: expect.any(String) })
  })
})

describe("keys: no service running", () => {
  it("create before the first start → the key is valid, and the first start prints none", async () => {
    const data = await Process.makeDirectory()
    const created = await Process.run(["keys", "create", "--email", "ops@example.com", "--data-dir", data])
    const service = await Process.serve({ data })
    expect((await getMe(service.url, created.stdout.trim())).status).toBe(200)
    await service.stop()
    expect(service.stdout()).not.toContain("first start")
  })

  it("revoke with an unknown id → exit code 1", async () => {
    const data = ["--data-dir", await Process.makeDirectory()]
    await Process.run(["migrate", ...data])
    const finished = await Process.run(["keys", "revoke", "key_nope", ...data])
    expect(finished).toMatchObject({ code: 1, stdout: "", stderr: "holdfast: There is no such key.\n" })
  })

  it("create with an invalid e-mail address → exit code 2, with the option", async () => {
    const args = ["keys", "create", "--email", "not-an-address", "--data-dir", await Process.makeDirectory()]
    const finished = await Process.run(args)
    expect(finished).toMatchObject({ code: 2, stdout: "" })
    expect(finished.stderr).toMatch(/^holdfast: --email: .+\n$/)
  })
})

it("keys generate → a different valid key each time", async () => {
  const [one, two] = await Promise.all([Process.run(["keys", "generate"]), Process.run(["keys", "generate"])])
  expect(one.stdout).toMatch(/^hf_[\w-]{49}\n$/)
  expect(one.stdout).not.toBe(two.stdout)
})

describe("migrate", () => {
  it("database new → migrated; up to date → reported", async () => {
    const data = await Process.makeDirectory()
    const first = await Process.run(["migrate", "--data-dir", data])
    expect(first.stdout).toMatch(/^Migrated: 1 /)
    const second = await Process.run(["migrate", "--data-dir", data])
    expect(second).toMatchObject({ code: 0, stdout: "The database is up to date.\n" })
  })
})
