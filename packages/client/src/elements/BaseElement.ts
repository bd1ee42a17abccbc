/**
 * The class that custom elements extend. Servers, which render pages without a DOM, may import the elements too.
 */
export const BaseElement: typeof HTMLElement =
  typeof HTMLElement === "undefined" ? (Object as unknown as typeof HTMLElement) : HTMLElement

/** Defines an element, once, where there is a registry. */
export const define = (name: string, element: typeof HTMLElement): void => {
  if (typeof customElements === "undefined" || customElements.get(name) !== undefined) return
  customElements.define(name, element)
}

/** Applies a style to a shadow tree. Content-Security-Policy permits a constructed sheet; it may forbid a style element. */
export const applyStyle = (root: ShadowRoot, text: string): void => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  root.adoptedStyleSheets = [sheet]
}
