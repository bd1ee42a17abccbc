/**
 * The script of the API reference: the filter, copying of samples, and requests to this service. It reads /openapi.json when the
 * first request is prepared. A key that is typed in stays in the memory of the page.
 */
export const script = String.raw`
const find = (selector, within = document) => within.querySelector(selector)
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}
for (const element of document.querySelectorAll(".origin")) element.textContent = location.origin

find("#filter").addEventListener("input", ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/)
  for (const article of document.querySelectorAll("article")) {
    const text = find("header", article).textContent.toLowerCase()
    article.hidden = !words.every((word) => text.includes(word))
    find('nav a[href="#' + article.id + '"]').parentElement.hidden = article.hidden
  }
  const count = document.querySelectorAll("article:not([hidden])").length
  find("#found").textContent = target.value === "" ? "" : count + (count === 1 ? " operation" : " operations")
})

let loaded
const load = () => (loaded ??= fetch("openapi.json").then((answer) => answer.json()))
const values = { apiKey: "" }
const input = (name, required, type = "text") => {
  const element = make("input", { type, required, value: values[name] ?? "", autocomplete: "off" })
  element.addEventListener("input", () => (values[name] = element.value))
  return [make("label", {}, name, element), element]
}

const prepare = async (article) => {
  const { method, path } = article.dataset
  const { parameters = [], requestBody } = (await load()).paths[path][method]
  const form = make("form")
  const [keyLabel, key] = input("apiKey", false, "password")
  const fields = parameters
    .filter((one) => one.in !== "header")
    .map((one) => [one, ...input(one.name, one.required === true)])
  form.append(keyLabel, ...fields.map(([, label]) => label))
  const { "application/json": json, "multipart/form-data": multipart } = requestBody?.content ?? {}
  const example = json?.example ?? (json && {}) ?? (multipart && { path: "/" })
  const text = example && make("textarea", { value: JSON.stringify(example, null, 2) })
  const file = requestBody && !json && make("input", { type: "file", required: true })
  if (text) form.append(make("label", {}, "body", text))
  if (file) form.append(make("label", {}, "file", file))
  const result = make("pre", { hidden: true })
  form.append(make("button", {}, "Send"), result)
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    const query = new URLSearchParams()
    let url = path
    for (const [{ in: place, name }, , { value }] of fields) {
      if (place === "path") url = url.replace("{" + name + "}", encodeURIComponent(value))
      else if (value !== "") query.append(name, value)
    }
    const headers = key.value === "" ? {} : { "x-api-key": key.value }
    let body
    if (json) [body, headers["content-type"]] = [text.value, "application/json"]
    else if (multipart) {
      body = new FormData()
      body.append("body", text.value)
      body.append("file", file.files[0])
    } else if (file) body = file.files[0]
    result.hidden = false
    result.textContent = "…"
    try {
      const answer = await fetch(url + (query.size ? "?" + query : ""), { method: method.toUpperCase(), headers, body })
      const type = answer.headers.get("content-type") ?? ""
      const content = await answer.blob()
      const shown = /json|text|mpegurl|xml/.test(type) ? (await content.text()).slice(0, 100000) : content.size + " bytes"
      const pretty = /json/.test(type) ? JSON.stringify(JSON.parse(shown), null, 2) : shown
      result.textContent = answer.status + " " + type + "\n\n" + pretty
    } catch (error) {
      result.textContent = String(error)
    }
  })
  return form
}

document.addEventListener("click", async ({ target }) => {
  if (target.name === "copy") {
    const sample = find("pre", target.parentElement.parentElement)
    // Browsers have a clipboard over HTTPS only. Elsewhere the reader copies the selected text.
    if (navigator.clipboard === undefined) return getSelection().selectAllChildren(sample)
    await navigator.clipboard.writeText(sample.textContent)
    target.textContent = "Copied"
  } else if (target.name === "try") {
    const form = await prepare(target.closest("article"))
    target.replaceWith(form)
    find("input", form).focus()
  }
})
`
