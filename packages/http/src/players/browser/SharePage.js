/**
 * The page of a share: swaps the token behind `#` for a cookie that scripts cannot read, asks for the password, shows the file or the
 * folder, or the form for uploads. Texts of users become text nodes only.
 */

import * as LongList from "./LongList.js"
import { base, explain, fail, isInvalid, make, request, say, show, unavailable } from "./ShareElements.js"
import { showUpload } from "./share/ShareUpload.js"

/**
 * @typedef {{ id: string, name: string, path: string, contentType: string | null }} File
 * @typedef {{ name: string, may: Array<string>, path: string | null, file: File | null, isCounted: boolean, hasZip: boolean }} Share
 * @typedef {{ items: Array<File>, folders: Array<string>, nextCursor: string | null }} Page
 */

/** @param {File} file @param {string} action */
const addressOf = (file, action) => `${base}/files/${encodeURIComponent(file.id)}/${action}`

/** @param {Share} share @param {File} file */
const canPreview = (share, { contentType }) =>
  share.may.includes("view") && /^(?:image|video|audio)\/|^text\/plain/.test(contentType ?? "")

/** Shows the beginning of a text. @param {string} address */
const textOf = (address) => {
  const text = make("pre", { tabIndex: 0, ariaLabel: "Beginning of the text" })
  const missing = "The text cannot be shown."
  fetch(address, { headers: { range: "bytes=0-65535" } })
    .then((response) => (response.ok ? response.text() : missing))
    .catch(() => missing)
    .then((shown) => (text.textContent = shown))
  return text
}

/** @param {File} file @returns {HTMLElement} */
const preview = (file) => {
  const address = addressOf(file, "view")
  const type = (file.contentType ?? "").split("/", 1)[0]
  if (type === "image") return make("img", { src: address, alt: file.name })
  if (type === "video") return make("video", { src: address, controls: true, ariaLabel: file.name })
  if (type === "audio") return make("audio", { src: address, controls: true, ariaLabel: file.name })
  return textOf(address)
}

/** @param {File} file */
const openPreview = (file) => {
  const close = make("button", { type: "button" }, "Close")
  const dialog = make("dialog", { ariaLabel: file.name }, make("p", {}, close), preview(file))
  close.addEventListener("click", () => dialog.close())
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

/** @param {Share} share @param {File} file */
const actionsOf = (share, file) => {
  const actions = make("span", { className: "actions" })
  if (canPreview(share, file)) {
    const open = make("button", { type: "button", ariaLabel: `Show ${file.name}` }, "Show")
    open.addEventListener("click", () => openPreview(file))
    actions.append(open)
  }
  if (share.may.includes("download")) {
    actions.append(
      make(
        "a",
        { href: addressOf(file, "download"), download: file.name, ariaLabel: `Download ${file.name}` },
        "Download"
      )
    )
  }
  return actions
}

/** @param {Share} share @param {File} file */
const showFile = (share, file) => {
  const isShown = !share.isCounted && canPreview(share, file)
  show(
    make("h1", {}, share.name),
    make("p", { className: "row" }, make("bdi", {}, file.name), actionsOf(share, file)),
    ...(isShown ? [preview(file)] : [])
  )
}

/** @param {string} root @param {string} path @param {(path: string) => void} open */
const trail = (root, path, open) => {
  const list = make("ol", { className: "trail" })
  const parts = path.slice(root.length).split("/").filter(Boolean)
  let at = root
  for (const [index, part] of ["All files", ...parts].entries()) {
    if (index > 0) at += `${part}/`
    const target = at
    const button = make("button", { type: "button" }, part)
    if (index === parts.length) button.ariaCurrent = "page"
    button.addEventListener("click", () => open(target))
    list.append(make("li", {}, button))
  }
  return make("nav", { ariaLabel: "Folders" }, list)
}

/**
 * Returns a list of a folder that requests its next page when a person scrolls near its end, or asks for it.
 *
 * @param {Share} share
 * @param {string} path
 * @param {(path: string) => void} open
 */
const listOf = (share, path, open) => {
  const list = LongList.make()
  const more = make("button", { type: "button", hidden: true }, "Show more")
  /** @type {string | null} */
  let next = null
  /** @type {Promise<Element | null> | null} */
  let loading = null

  const append = async () => {
    const isFirst = list.length() === 0
    const query = new URLSearchParams({ path, ...(next === null ? {} : { cursor: next }) })
    const { answer, code, isOk } = await request(`/files?${query}`).catch(() => unavailable)
    if (!list.element.isConnected) return null
    if (!isOk) {
      if (isFirst || isInvalid(code)) fail(code)
      else say("More files could not be loaded.")
      return null
    }
    const { folders, items, nextCursor } = /** @type {Page} */ (answer)
    const rows = [
      ...folders.map((folder) => () => {
        const name = folder.slice(path.length, -1)
        const button = make("button", { type: "button", className: "folder" }, make("bdi", {}, `${name}/`))
        button.addEventListener("click", () => open(folder))
        return make("div", { className: "row" }, button)
      }),
      ...items.map(
        (file) => () => make("div", { className: "row" }, make("bdi", {}, file.name), actionsOf(share, file))
      )
    ]
    const first = list.append(rows, { isLast: nextCursor === null })
    more.hidden = nextCursor === null
    next = nextCursor
    list.element.hidden = list.length() === 0
    say(list.length() === 0 ? "The folder is empty." : "")
    return first
  }
  /** Returns the first row of the next page; null if there is none. */
  const load = () => {
    loading ??= append().finally(() => {
      loading = null
    })
    return loading
  }
  const loadNear = LongList.loadNear(more, async () => (await load()) !== null)
  more.addEventListener("click", async () => {
    say("Loading…")
    const target = (await load())?.querySelector("button, a")
    if (target instanceof HTMLElement) target.focus()
    loadNear()
  })
  const start = async () => {
    say("Loading…")
    if ((await load()) !== null) loadNear()
  }
  return { elements: [list.element, more], start }
}

/** @param {Share} share */
const rootOf = (share) => share.path ?? "/"

/** Shows a folder and returns its heading. @param {Share} share @param {string} path @returns {Promise<HTMLElement>} */
const showFolder = async (share, path) => {
  /** @param {string} target */
  const open = (target) => {
    if (target !== path) history.pushState({ path: target }, "", base)
    void showFolder(share, target).then((opened) => opened.focus())
  }
  const list = listOf(share, path, open)
  const heading = make("h1", { tabIndex: -1 }, share.name)
  const zip = share.hasZip
    ? [
        make(
          "p",
          {},
          make("a", { href: `${base}/zip?${new URLSearchParams({ path })}`, download: "" }, "Download all as ZIP")
        )
      ]
    : []
  show(heading, trail(rootOf(share), path, open), ...zip, ...list.elements)
  await list.start()
  return heading
}

/** Shows the folder that the entry of the browser's history names, so that Back leads to the folder before. @param {Share} share */
const showFolders = (share) => {
  const showEntry = () => showFolder(share, history.state?.path ?? rootOf(share))
  addEventListener("popstate", () => {
    document.querySelector("dialog")?.close()
    void showEntry().then((heading) => heading.focus())
  })
  void showEntry()
}

/** @param {Share} share */
const showShare = (share) => {
  document.title = share.name
  say("")
  if (share.may.includes("upload")) return showUpload(share.name)
  if (share.file !== null) return showFile(share, share.file)
  if (share.may.includes("list")) return showFolders(share)
  explain(share.name, "This share has no list of its files. Open the address of a file that you were given.")
}

/** @param {string} token */
const askPassword = (token) => {
  document.title = "Password"
  say("")
  const input = make("input", { type: "password", id: "password", required: true, autocomplete: "current-password" })
  const fault = make("p", { role: "alert" })
  const form = make(
    "form",
    {},
    make("label", { htmlFor: "password" }, "Password of the share"),
    input,
    make("button", { type: "submit" }, "Open")
  )
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    const { answer, code, isOk } = await request("/session", { token, password: input.value }).catch(() => unavailable)
    if (isOk) return showShare(answer)
    if (code === "share_password_required") fault.textContent = "This password is not right."
    else if (code === "too_many_passwords")
      fault.textContent = "Too many wrong passwords. Try again in a quarter of an hour."
    else if (isInvalid(code)) return fail(code)
    else fault.textContent = "The service cannot answer right now. Try again later."
    input.value = ""
    input.focus()
  })
  show(make("h1", {}, "Password"), form, fault)
  input.focus()
}

const start = async () => {
  const token = location.hash.slice(1)
  // The token stays in no history.
  if (token !== "") history.replaceState(null, "", base)
  const { answer, code, isOk } = token === "" ? await request("/info") : await request("/session", { token })
  if (isOk) showShare(answer)
  else if (code === "share_password_required" && token !== "") askPassword(token)
  else fail(code)
}

start().catch(() => fail("unavailable"))
