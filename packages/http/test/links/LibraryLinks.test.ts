/**
 * Links of a program with the library, and of a service on the same data with the same secret key.
 */
import { type Holdfast, open, type OpenOptions } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { randomBytes } from "node:crypto"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { toWebHandler } from "../../src/index.ts"
import * as Process from "../support/Process.ts"

/** Opens a library on the data directory of a service. */
const openOn = async (data: string, options: Partial<OpenOptions>): Promise<Holdfast> => {
  const holdfast = await open({
    metadata: sqlite({ file: Path.join(data, "holdfast.sqlite") }),
    blobs: fs({ directory: data }),
    sweepEvery: false,
    ...options
  })
  onTestFinished(() => holdfast.close())
  return holdfast
}

const follow = async (holdfast: Holdfast, url: string) => {
  const answer = await toWebHandler(holdfast)(new Request(`https://host.example${url}`))
  return [answer.status, answer.status === 200 ? await answer.text() : ""]
}

it("link of a library → valid after a restart and in a service with the same secret key; another signingSecret → 401", async () => {
  const secretKey = randomBytes(32)
  const data = await Process.makeDirectory()
  const holdfast = await openOn(data, { secretKey })
  const owner = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(owner, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(owner, { tenantId, name: "media" })
  const file = await holdfast.files.upload(owner, { tenantId, bucketId, name: "a.txt", content: "Hello" })
  const link = { tenantId, bucketId, fileId: file.id, expiresIn: 3600 }
  const { url } = await holdfast.files.signedUrl(owner, link)
  expect(await follow(holdfast, url)).toEqual([200, "Hello"])
  await holdfast.close()

  const again = await openOn(data, { secretKey })
  expect(await follow(again, url)).toEqual([200, "Hello"])
  await again.close()

  const other = await openOn(data, { secretKey, signingSecret: randomBytes(32) })
  expect(await follow(other, url)).toEqual([401, ""])
  await other.close()

  const service = await Process.serve({ data, env: { HOLDFAST_SECRET_KEY: secretKey.toString("base64") } })
  expect(await (await fetch(service.url + url)).text()).toBe("Hello")
})
