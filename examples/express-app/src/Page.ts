/**
 * The HTML of the pages.
 */
import type { FileRecord } from "@holdfast/core"

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title><h1>Gallery</h1>${body}</html>`

export const signIn = page(`
<form action="/session" method="post">
  <label>Your name <input name="name" pattern="[a-z]{1,30}" required></label> <button>Sign in</button>
</form>`)

/** Returns the script that uploads a picture with a progress bar, then reloads the page. */
const script = (filesUrl: string): string => `
const form = document.querySelector("#upload")
const bar = document.querySelector("progress")
form.addEventListener("submit", (event) => {
  event.preventDefault()
  const request = new XMLHttpRequest()
  request.upload.addEventListener("progress", ({ loaded, total }) => { bar.value = loaded / total })
  request.addEventListener("load", () => {
    if (request.status === 201) location.reload()
    else document.querySelector("output").textContent = JSON.parse(request.responseText).detail
  })
  request.open("POST", ${JSON.stringify(`${filesUrl}/upload`)})
  request.send(new FormData(form))
})`

/** Returns the page with all pictures. `filesUrl` is the URL of the bucket's files in the API. */
export const gallery = (filesUrl: string, pictures: ReadonlyArray<FileRecord>): string =>
  page(`
<form id="upload"><input type="file" name="file" accept="image/*" required> <button>Upload</button></form>
<progress value="0"></progress> <output></output>
<ul>${pictures
    .map(
      ({ id, name }) => `
  <li><img src="${filesUrl}/${id}/view" alt="${escape(name)}" height="120">
    <a href="${filesUrl}/${id}/download">${escape(name)}</a></li>`
    )
    .join("")}
</ul>
<script>${script(filesUrl)}</script>`)
