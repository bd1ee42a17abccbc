/**
 * What all parts of the page of a share use: its elements, its messages and its requests.
 */

export const base = location.pathname
const main = /** @type {HTMLElement} */ (document.querySelector("main"))
const status = /** @type {HTMLElement} */ (document.querySelector("#status"))

/**
 * Creates an element with properties and children.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Partial<HTMLElementTagNameMap[T]>} properties
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** @param {string} text */
export const say = (text) => {
  status.textContent = text
}

/** @param {...(Node | string)} content */
export const show = (...content) => {
  main.replaceChildren(...content)
}

/** @param {string} title @param {string} text */
export const explain = (title, text) => {
  document.title = title
  say("")
  show(make("h1", {}, title), make("p", { role: "alert" }, text))
}

/** @param {string} path @param {object} [body] */
export const request = async (path, body) => {
  const response = await fetch(
    base + path,
    body === undefined
      ? undefined
      : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  )
  const answer = await response.json()
  return { isOk: response.ok, code: String(answer.code), answer }
}

/** The answer of `request` when the service cannot be reached. */
export const unavailable = { isOk: false, code: "unavailable", answer: {} }

/** Returns whether the share is not valid, or not any more. @param {string} code */
export const isInvalid = (code) => ["unauthenticated", "forbidden", "not_found"].includes(code)

/** @param {string} code */
export const fail = (code) => {
  if (isInvalid(code)) {
    explain("Link not valid", "This link is not valid or has ended. Ask for a new one, and open it completely.")
  } else {
    explain("Not available", "The service cannot answer right now. Try again later.")
  }
}
