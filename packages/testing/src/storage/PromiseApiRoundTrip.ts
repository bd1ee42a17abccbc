/**
 * Uses a Holdfast as a program without Effect does.
 */
import type { Holdfast } from "@holdfast/core"

/** Uploads a file with the content `Hello`, and returns the content that it reads back. */
export const run = async (holdfast: Holdfast): Promise<string> => {
  const account = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(account, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(account, { tenantId: tenant.id, name: "media" })
  const bucket = { tenantId: tenant.id, bucketId }
  const file = await holdfast.files.upload(account, { ...bucket, name: "hello.txt", content: "Hello" })
  return (await holdfast.files.read(account, { ...bucket, fileId: file.id })).response().text()
}
