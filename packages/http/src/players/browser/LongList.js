/**
 * A list that grows while a person scrolls and keeps few rows in the document: those of the parts near the window, and of the part that has
 * the focus. An empty part keeps its height. Each row has its position in the list, which assistive technology cannot count.
 */

/** How far from the window rows are in the document, and more rows are requested. */
const rootMargin = "1500px 0px"

/**
 * @typedef {object} Part
 * @property {boolean} isNear
 * @property {() => Array<HTMLElement>} makeRows
 */

export const make = () => {
  const element = Object.assign(document.createElement("div"), { role: "list", className: "files" })
  /** @type {WeakMap<Element, Part>} */
  const parts = new WeakMap()
  let length = 0
  let isComplete = false

  /** Adds the rows of a part that is near the window, and removes those of another one. @param {HTMLElement} container */
  const update = (container) => {
    const part = parts.get(container)
    if (part === undefined || part.isNear === container.childElementCount > 0) return
    if (part.isNear) {
      container.replaceChildren(...part.makeRows())
      container.style.height = ""
    } else if (!container.contains(document.activeElement)) {
      container.style.height = `${container.offsetHeight}px`
      container.replaceChildren()
    }
  }

  const nearWindow = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const part = parts.get(target)
        if (part === undefined || !(target instanceof HTMLElement)) continue
        part.isNear = isIntersecting
        update(target)
      }
    },
    { rootMargin }
  )

  return {
    element,

    length: () => length,

    /**
     * Appends a part and returns its first row.
     *
     * @param {ReadonlyArray<() => HTMLElement>} rows
     * @param {{ isLast: boolean }} options
     */
    append: (rows, { isLast }) => {
      const start = length
      const makeRows = () =>
        rows.map((row, index) =>
          Object.assign(row(), {
            role: "listitem",
            ariaPosInSet: String(start + index + 1),
            // The number of all rows is unknown until the last part has arrived.
            ariaSetSize: isComplete ? String(length) : "-1"
          })
        )
      length += rows.length
      isComplete = isLast
      if (isLast) for (const row of element.querySelectorAll("[role=listitem]")) row.ariaSetSize = String(length)
      const container = Object.assign(document.createElement("div"), { role: "presentation" })
      parts.set(container, { isNear: true, makeRows })
      // The part that loses the focus may be far from the window.
      container.addEventListener("focusout", () => setTimeout(() => update(container)))
      update(container)
      element.append(container)
      nearWindow.observe(container)
      return container.firstElementChild
    }
  }
}

/**
 * Calls `load` whenever an element is near the window, until it resolves with false. Returns a function that begins again.
 *
 * @param {Element} end
 * @param {() => Promise<boolean>} load
 */
export const loadNear = (end, load) => {
  const observer = new IntersectionObserver(
    async (entries) => {
      if (entries.at(-1)?.isIntersecting !== true) return
      observer.unobserve(end)
      // Observing again reports whether the element is still near.
      if (await load()) observer.observe(end)
    },
    { rootMargin }
  )
  return () => observer.observe(end)
}
