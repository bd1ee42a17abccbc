/**
 * The program of a page, for Chromium: the elements, and a component of React.
 */
import { HoldfastUpload } from "@holdfast/client/elements"
import { uploadTo } from "@holdfast/client"
import { useUploads } from "@holdfast/client/react"
import { createElement } from "react"
import { createRoot } from "react-dom/client"

const Uploads = () => {
  const [{ items, sent, total }, uploader] = useUploads({
    upload: (file, call) => uploadTo("/incoming/" + file.name, file, call)
  })
  const lines = items.map(({ file, id, state }) => createElement("li", { key: id }, file.name + ": " + state))
  return createElement(
    "section",
    { id: "react" },
    createElement("input", { type: "file", onChange: ({ currentTarget }) => uploader.add(currentTarget.files) }),
    createElement("ul", null, lines),
    createElement("output", null, sent + " of " + total)
  )
}

const isDefined = document.querySelector("holdfast-upload") instanceof HoldfastUpload
document.title = isDefined ? "Elements are defined" : "Elements are not defined"

createRoot(document.querySelector("#root")).render(createElement(Uploads))
