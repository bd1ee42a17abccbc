/**
 * Uses a BlobStore as a program without Effect does.
 */
import { open, type OpenOptions } from "@holdfast/core"

/** Opens a Holdfast, uploads a file with the content `Hello`, and returns the content that it reads back. */
export const run = async (options: Pick<OpenOptions, "metadata" | "blobs">): Promise<string> => {
  await using holdfast = await open(options)
  const account = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(account, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(account, { tenantId: tenant.id, name: "media" })
  const bucket = { tenantId: tenant.id, bucketId }
  const file = await holdfast.files.upload(account, { ...bucket, name: "hello.txt", content: "Hello" })
  return (await holdfast.files.read(account, { ...bucket, fileId: file.id })).response().text()
}
