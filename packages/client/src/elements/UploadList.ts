/**
 * Shows the items of a queue of uploads as a list, with their progress and what can be done with each.
 */
import { HoldfastError } from "@holdfast/http/client"
import type { Uploader, UploadItem, UploadState } from "../Uploader.ts"

const labels: Readonly<Record<UploadState, string>> = {
  pending: "Waiting",
  uploading: "Uploading",
  paused: "Paused",
  completed: "Uploaded",
  failed: "Failed"
}

type Action = "pause" | "resume" | "retry" | "remove"

const actions: Readonly<Record<UploadState, ReadonlyArray<Action>>> = {
  pending: ["pause", "remove"],
  uploading: ["pause", "remove"],
  paused: ["resume", "remove"],
  completed: [],
  failed: ["retry", "remove"]
}

const describe = ({ error, state }: UploadItem<unknown>): string =>
  state === "failed" && error instanceof HoldfastError ? `${labels.failed}: ${error.message}` : labels[state]

interface Row {
  readonly element: HTMLLIElement
  readonly update: (item: UploadItem<unknown>) => void
}

const makeRow = (item: UploadItem<unknown>, uploader: Uploader<unknown>): Row => {
  const element = document.createElement("li")
  const name = document.createElement("span")
  const progress = document.createElement("progress")
  const status = document.createElement("span")
  name.textContent = item.file.name
  progress.max = Math.max(1, item.total)
  progress.ariaLabel = item.file.name
  status.className = "status"
  status.role = "status"
  const buttons = (["pause", "resume", "retry", "remove"] as const).map((action) => {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = action[0]?.toUpperCase() + action.slice(1)
    button.ariaLabel = `${button.textContent} ${item.file.name}`
    button.addEventListener("click", () => uploader[action](item.id))
    return { action, button }
  })
  element.append(name, progress, status, ...buttons.map(({ button }) => button))
  return {
    element,
    update: (changed) => {
      progress.value = changed.state === "completed" ? progress.max : changed.sent
      const text = describe(changed)
      // Screen readers announce each write, also of the same text.
      if (status.textContent !== text) status.textContent = text
      element.dataset["state"] = changed.state
      for (const { action, button } of buttons) button.hidden = !actions[changed.state].includes(action)
    }
  }
}

/** Returns the list, and a function that shows the current state of the queue in it. */
export const make = (
  uploader: Uploader<unknown>
): { readonly element: HTMLUListElement; readonly update: () => void } => {
  const element = document.createElement("ul")
  const rows = new Map<string, Row>()
  return {
    element,
    update: () => {
      const { items } = uploader.getSnapshot()
      const present = new Set(items.map(({ id }) => id))
      for (const [id, row] of rows) {
        if (present.has(id)) continue
        row.element.remove()
        rows.delete(id)
      }
      for (const item of items) {
        let row = rows.get(item.id)
        if (row === undefined) {
          row = makeRow(item, uploader)
          rows.set(item.id, row)
          element.append(row.element)
        }
        row.update(item)
      }
    }
  }
}
