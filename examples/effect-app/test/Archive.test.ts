import { Accounts } from "@holdfast/core/accounts/Accounts"
import * as Actor from "@holdfast/core/Actor"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import { Tenants } from "@holdfast/core/tenants/Tenants"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { Archive } from "../src/Archive.ts"
import * as Main from "../src/Main.ts"

it("archive: complete and failing report → lines of the first, error and no file of the second", async () => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-example-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  const program = Effect.gen(function* () {
    const accounts = yield* Accounts
    const tenants = yield* Tenants
    const buckets = yield* Buckets
    const archive = yield* Archive
    const owner = Actor.account((yield* accounts.ensure(Actor.system, "owner@example.com")).id)
    const tenant = yield* tenants.create(owner, { name: "Acme", subdomain: "acme" })
    const { id: bucketId } = yield* buckets.create(owner, tenant.id, { name: "archive" })
    const bucket = { tenantId: tenant.id, bucketId }

    const id = yield* archive.store(owner, bucket, "2026-01-02", Stream.make("one", "two"))
    const broken = Stream.concat(Stream.make("three"), Stream.fail("printer on fire" as const))
    const error = yield* Effect.flip(archive.store(owner, bucket, "2026-01-03", broken))
    const lines = yield* Stream.runCollect(archive.lines(owner, bucket, id))
    return { error, lines: [...lines], days: yield* archive.days(owner, bucket) }
  })
  expect(await Effect.runPromise(Effect.provide(program, Main.layer(directory)))).toEqual({
    error: "printer on fire",
    lines: ["one", "two"],
    days: ["2026-01-02"]
  })
})
