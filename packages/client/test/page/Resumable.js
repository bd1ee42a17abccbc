/**
 * The program of a page that uploads large files, for Chromium.
 */
import { createUploader, uploadResumable } from "@holdfast/client"

const addressFor = async (file) => {
  const response = await fetch("/addresses", { method: "POST", body: file.name })
  return response.text()
}

const megabyte = 1_000_000

const uploader = createUploader({
  upload: async (file, call) => {
    const options = { ...call, chunkBytes: megabyte, threshold: megabyte, backoff: () => 10 }
    return uploadResumable(await addressFor(file), file, options)
  }
})

const steps = []
uploader.subscribe(() => steps.push(uploader.getSnapshot().sent))
document.querySelector("input").addEventListener("change", ({ target }) => uploader.add(target.files))
Object.assign(window, { uploader, steps })
