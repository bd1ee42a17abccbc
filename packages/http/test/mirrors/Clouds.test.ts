/**
 * Azure Blob Storage and Google Cloud Storage as the place of contents and as targets of mirrors, through the real service.
 */
import { requires } from "@holdfast/testing/Requires"
import * as Azurite from "@holdfast/testing/servers/Azurite"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { expect, it, onTestFinished } from "vitest"
import * as Process from "../support/Process.ts"
import * as SharedKey from "../support/SharedKey.ts"
import * as Site from "./Site.ts"

interface Stored {
  readonly text: string
  readonly contentType: string | null
}

interface Cloud {
  /** Keeps contents there. */
  readonly env: Readonly<Record<string, string>>
  /** Makes a mirror that leads there. */
  readonly mirror: object
  /** What stands at the mirror's target. */
  readonly read: (name: string) => Promise<Stored | undefined>
}

/** A service over a cloud, and a mirror to it: what is uploaded, changed and removed. */
const live = async ({ env, mirror, read }: Cloud) => {
  const site = await Site.start({ env: { ...env, HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })
  expect(await (await fetch(`${site.service.url}/health/ready`)).json()).toMatchObject({ checks: { blobs: "ok" } })
  const { id } = await Site.createMirror(site, mirror)
  const text = "0123456789".repeat(200_000)
  const file = await Site.upload(site, { name: "a.txt", path: "/ä/", metadata: { n: 1 } }, text)
  const own = `${site.files}/${file.id}`
  const range = await site.api.get(`${own}/view`, { headers: { range: "bytes=1999995-" } })
  expect([range.status, await range.text()]).toEqual([206, "56789"])
  await Site.settled(site, id)
  expect(await read("ä/a.txt")).toEqual({ text, contentType: "text/plain; charset=utf-8" })

  await site.api.patch(own, { json: { name: "b.txt", path: "/" } })
  await Site.settled(site, id)
  expect((await read("b.txt"))?.text.length).toBe(text.length)
  expect(await read("ä/a.txt")).toBeUndefined()
  const fsck = await Process.run(["fsck", "--data-dir", site.service.data], { env })
  expect([fsck.code, fsck.stdout]).toEqual([0, expect.stringContaining("1 records, 1 contents: 0 findings")])

  expect((await site.api.delete(own)).status).toBe(204)
  await Site.settled(site, id)
  expect(await read("b.txt")).toBeUndefined()
  expect((await site.service.stop()).code).toBe(0)
}

requires(Azurite.missing).describe("Azure Blob Storage", () => {
  it("keeps contents and copies", { timeout: 120_000 }, async () => {
    const runtime = ManagedRuntime.make(Azurite.layer)
    onTestFinished(() => runtime.dispose())
    const { accountKey, accountName, endpoint } = await runtime.runPromise(Azurite.Azurite)
    const account = { accountName, endpoint, accountKey: Redacted.value(accountKey) }
    for (const container of ["contents", "copies"]) {
      expect((await SharedKey.send(account, "PUT", container, { restype: "container" })).status).toBe(201)
    }
    await live({
      env: {
        HOLDFAST_BLOBS: "azure",
        HOLDFAST_AZURE_CONTAINER: "contents",
        HOLDFAST_AZURE_ACCOUNT_NAME: accountName,
        HOLDFAST_AZURE_ACCOUNT_KEY: account.accountKey,
        HOLDFAST_AZURE_ENDPOINT: endpoint
      },
      mirror: { name: "copies", type: "AZURE_BLOB", containerName: "copies", ...account },
      read: async (name) => {
        const answer = await SharedKey.send(
          account,
          "GET",
          `copies/${name.split("/").map(encodeURIComponent).join("/")}`
        )
        if (answer.status === 404) return undefined
        return { text: await answer.text(), contentType: answer.headers.get("content-type") }
      }
    })
  })
})

it("Google Cloud Storage keeps contents and copies", { timeout: 120_000 }, async () => {
  const runtime = ManagedRuntime.make(FakeGcs.layer)
  onTestFinished(() => runtime.dispose())
  const gcs = await runtime.runPromise(FakeGcs.FakeGcs)
  await runtime.runPromise(Effect.andThen(gcs.createBucket("contents"), gcs.createBucket("copies")))
  const credentials = Redacted.value(gcs.credentials)
  await live({
    env: {
      HOLDFAST_BLOBS: "gcs",
      HOLDFAST_GCS_BUCKET: "contents",
      HOLDFAST_GCS_CREDENTIALS: credentials,
      HOLDFAST_GCS_ENDPOINT: gcs.endpoint
    },
    mirror: {
      name: "copies",
      type: "GCS",
      projectId: "testing",
      bucketName: "copies",
      credentials,
      endpoint: gcs.endpoint
    },
    read: async (name) => {
      const found = await runtime.runPromise(gcs.findObject("copies", name))
      return found && { text: found.bytes.toString(), contentType: String(found.resource["contentType"]) }
    }
  })
})
