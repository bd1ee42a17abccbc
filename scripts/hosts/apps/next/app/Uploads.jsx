"use client"
import { uploadResumable } from "@holdfast/client"
import { useUploads } from "@holdfast/client/react"

const requestAddress = async (path, init) => {
  const response = await fetch(path, init)
  return response.json()
}

/** Uploads a file to the address that the server gives for it, and shows it by a link. */
const upload = async (file, call) => {
  const body = JSON.stringify({ name: file.name, size: file.size })
  const { url } = await requestAddress("/addresses", { method: "POST", body })
  const { id } = await uploadResumable(url, file, call)
  return requestAddress(`/links/${id}`)
}

export const Uploads = () => {
  const [{ items }, uploader] = useUploads({ upload })
  return (
    <main>
      <input
        type="file"
        multiple
        aria-label="Files"
        onChange={({ currentTarget }) => uploader.add(currentTarget.files)}
      />
      {items.map(({ file, id, result, state }) => (
        <p key={id}>{result === undefined ? state : <a href={result.url}>{file.name}</a>}</p>
      ))}
    </main>
  )
}
