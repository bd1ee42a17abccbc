/**
 * The program of the page. It shows each file that `<holdfast-upload>` has sent by a link.
 */
import { createClient, createUploader, uploadTo } from "@holdfast/client"
import { HoldfastPlayer, HoldfastUpload } from "@holdfast/client/elements"

// So that the bundler keeps all that the packages export.
Object.assign(globalThis, { createClient, createUploader, uploadTo, HoldfastPlayer, HoldfastUpload })

document.addEventListener("holdfast-complete", async ({ detail: { file, result } }) => {
  const response = await fetch(`/links/${result.id}`)
  const { url } = await response.json()
  const link = document.createElement("a")
  Object.assign(link, { href: url, textContent: file.name })
  document.querySelector("main").append(link)
})
