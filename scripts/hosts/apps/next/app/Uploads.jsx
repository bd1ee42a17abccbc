"use client"
import { createClient } from "@holdfast/client"
import { useUploads } from "@holdfast/client/react"

/** Uploads to the bucket in the address of the page, and shows each picture by a link without an API key. */
const upload = async (file, call) => {
  const { searchParams } = new URL(location.href)
  const ref = { tenantId: searchParams.get("tenant"), bucketId: searchParams.get("bucket") }
  const client = createClient({ url: new URL("/store", location.href) })
  const { id: fileId } = await client.files.upload({ ...ref, name: file.name, content: file }, call)
  return client.files.signedUrl({ ...ref, fileId, expiresIn: 60 })
}

export const Uploads = () => {
  const [{ items }, uploader] = useUploads({ upload })
  return (
    <main>
      <input type="file" aria-label="Files" onChange={({ currentTarget }) => uploader.add(currentTarget.files)} />
      {items.map(({ file, id, result, state }) => (
        <p key={id}>{result === undefined ? state : <a href={result.url}>{file.name}</a>}</p>
      ))}
    </main>
  )
}
