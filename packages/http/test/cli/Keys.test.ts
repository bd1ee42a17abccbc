import { describe, expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"

const me = (url: string, key: string) => Requests.make(`${url}/api/v1`, key).get("/me")

/** Asks until the answer has this status; as long as the cache of rights may hold the former one. */
const until = async (url: string, key: string, status: number): Promise<void> => {
  for (;;) {
    if ((await me(url, key)).status === status) return
  }
}

const idOf = (text: string): string => /key_[0-9a-f-]{36}/.exec(text)?.[0] ?? ""

describe("beside a running service", () => {
  it("makes a key that works, lists it, and revokes it for the running service too", async () => {
    const service = await Process.serve()
    const at = ["--data-dir", service.data]

    const made = await Process.run(["keys", "create", "--email", "ci@example.com", "--name", "CI", ...at])
    expect(made.code).toBe(0)
    const key = made.stdout.trim()
    expect(key).toMatch(/^hf_[\w-]{49}$/)
    expect(await (await me(service.url, key)).json()).toMatchObject({ user: { email: "ci@example.com" } })

    const listed = await Process.run(["keys", "list", ...at])
    expect(listed.stdout).toMatch(/ID +ACCOUNT +NAME +KEY +CREATED +LAST USED +REVOKED\n/)
    expect(listed.stdout).toContain("ci@example.com")
    expect(listed.stdout).not.toContain(key)

    const id = idOf(made.stderr)
    const revoked = await Process.run(["keys", "revoke", id, ...at])
    expect(revoked.stdout).toBe(`${id} (CI) of ci@example.com is revoked.\n`)
    await until(service.url, key, 401)

    const after = await Process.run(["keys", "list", "--json", ...at])
    const keys = after.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(keys).toHaveLength(2)
    expect(keys.find((one) => one.id === id)).toMatchObject({ name: "CI", revokedAt: expect.any(String) })
  })
})

describe("without a service", () => {
  it("a key may be made before the first start, which then shows none", async () => {
    const data = await Process.directory()
    const made = await Process.run(["keys", "create", "--email", "ops@example.com", "--data-dir", data])
    const service = await Process.serve({ data })
    expect((await me(service.url, made.stdout.trim())).status).toBe(200)
    await service.stop()
    expect(service.stdout()).not.toContain("first start")
  })

  it("an unknown id is a failure", async () => {
    const ended = await Process.run(["keys", "revoke", "key_nope", "--data-dir", await Process.directory()])
    expect(ended).toMatchObject({ code: 1, stdout: "", stderr: "holdfast: There is no such key.\n" })
  })

  it("an address that is none is a failure", async () => {
    const args = ["keys", "create", "--email", "nobody", "--data-dir", await Process.directory()]
    const ended = await Process.run(args)
    expect(ended.code).toBe(1)
    expect(ended.stdout).toBe("")
  })
})

it("generates keys that are stored nowhere", async () => {
  const [one, two] = await Promise.all([Process.run(["keys", "generate"]), Process.run(["keys", "generate"])])
  expect(one.stdout).toMatch(/^hf_[\w-]{49}\n$/)
  expect(one.stdout).not.toBe(two.stdout)
})

describe("migrate", () => {
  it("brings a database up to date, and says so", async () => {
    const data = await Process.directory()
    const first = await Process.run(["migrate", "--data-dir", data])
    expect(first.stdout).toMatch(/^Migrated: 1 /)
    const second = await Process.run(["migrate", "--data-dir", data])
    expect(second).toMatchObject({ code: 0, stdout: "The database is up to date.\n" })
  })
})
